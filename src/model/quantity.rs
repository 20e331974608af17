//! Kubernetes quantities (`250m`, `1.5Gi`, `2e3`) as numbers.
//!
//! Source of the grammar: kubernetes/apimachinery `resource.Quantity` (binary suffixes Ki..Ei, decimal n..E, exponents).

/// The value in thousandths, rounded up as the scheduler does; `None` when the text is no quantity or does not fit.
pub fn quantity_milli(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits_end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '+')).unwrap_or(text.len());
    let (number, suffix) = text.split_at(digits_end);
    let value: f64 = number.parse().ok()?;
    let factor = match suffix {
        "" => 1.0,
        "n" => 1e-9,
        "u" => 1e-6,
        "m" => 1e-3,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "E" => 1e18,
        "Ki" => 1024.0,
        "Mi" => 1_048_576.0,
        "Gi" => 1_073_741_824.0,
        "Ti" => 1_099_511_627_776.0,
        "Pi" => 1_125_899_906_842_624.0,
        "Ei" => 1_152_921_504_606_846_976.0,
        exponent => 10f64.powi(exponent.strip_prefix(['e', 'E'])?.parse().ok()?),
    };
    let milli = (value * factor * 1000.0).ceil();
    // Above 2^63 a quantity is nonsense for a cluster, and the cast would no longer be exact to the unit.
    (milli.is_finite() && (0.0..9.2e18).contains(&milli)).then_some(milli as u64)
}

/// The value in whole units (bytes, pods), rounded up.
pub fn quantity(text: &str) -> Option<u64> {
    quantity_milli(text).map(|m| m.div_ceil(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_as_the_scheduler_reads_them() {
        for (text, milli) in [
            ("1", 1000),
            ("250m", 250),
            ("0.5", 500),
            ("1.5", 1500),
            ("100n", 1),
            ("2k", 2_000_000),
            ("1e3", 1_000_000),
            ("128Mi", 134_217_728_000),
            ("1Gi", 1_073_741_824_000),
            ("1G", 1_000_000_000_000),
            ("0", 0),
        ] {
            assert_eq!(quantity_milli(text), Some(milli), "{text}");
        }
        for text in ["", "x", "1x", "-1", "1Gi2", "NaN", "99999999999E"] {
            assert_eq!(quantity_milli(text), None, "{text}");
        }
        assert_eq!(quantity("1500m"), Some(2));
    }
}
