//! Certificates are made of proofs and refused where they are none.
