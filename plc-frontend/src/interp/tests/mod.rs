//! What programs do, in tables: statements, arithmetic, standard function blocks.

mod limits;
