//! `fleet.yaml`: raw form, validation, schema.
