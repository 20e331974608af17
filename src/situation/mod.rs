//! Situation files: an input (clusters, policies, a resource, state) and what must come out, as one YAML document. `quarterdeck
//! test` runs them, any situation on a screen can be saved as one. Pure.
