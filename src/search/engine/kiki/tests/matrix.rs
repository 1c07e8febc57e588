//! Rows that the user gives: their meaning, and mistakes in them.

use super::*;
use kernel::expr::BvBin;

const MATRIX: (&str, &str) = ("domain", "matrix");

/// Returns an example in which 2 * x + 3 * y is at most 600, by exchange of three `x` for two `y`; the property is about `y` alone.
fn exchange() -> Example {
    let mut b = Builder::new();
    let (go, x, y) =
        (b.var("go", Value::Bool(false)), b.var("Plant.x", Value::int(16, 300)), b.var("Plant.y", Value::int(16, 0)));
    let l = b.then(b.cfa.head, Op::Havoc(go));
    let (go_e, few, less_x, more_y) = (b.v(go), b.less(x, 3), b.plus(x, -3), b.plus(y, 2));
    let enough = b.pool.not(few);
    let both = b.pool.and(go_e, enough);
    let l = b.when(l, both, Op::Assign(y, more_y));
    let l = b.when(l, both, Op::Assign(x, less_x));
    let low = b.less(y, 201);
    let bad = b.pool.not(low);
    b.close(l, bad);
    Example { name: "exchange", pool: b.pool, cfa: b.cfa, answer: Known::Safe }
}

/// Returns three flags of which a ring passes one on.
fn ring() -> Example {
    let mut b = Builder::new();
    let (t, f) = (Value::Bool(true), Value::Bool(false));
    let (go, x, y, z) = (b.var("go", f), b.var("x", t), b.var("y", f), b.var("z", f));
    let (n, byte) = (b.var("n", Value::int(8, 0)), b.n(8, 1));
    let l = b.then(b.cfa.head, Op::Havoc(go));
    let (go_e, x_e, y_e, z_e, n_e) = (b.v(go), b.v(x), b.v(y), b.v(z), b.v(n));
    let updates = vec![(x, z_e), (y, x_e), (z, y_e)];
    let block = kernel::cfa::Block { guard: b.pool.bool(true), updates, inputs: Vec::new() };
    let l = b.when(l, go_e, Op::Block(Box::new(block)));
    let more = b.pool.bv(BvBin::Add, n_e, byte);
    let l = b.then(l, Op::Assign(n, more));
    let bad = b.pool.and(x_e, y_e);
    b.close(l, bad);
    Example { name: "ring", pool: b.pool, cfa: b.cfa, answer: Known::Safe }
}

#[test]
fn given_rows_prove_what_the_built_in_ones_do_not() {
    let ai = |example: &Example, more: &[(&str, &str)]| {
        let given: Vec<(&str, &str)> = [("mode", "ai"), ("guards", "places")].into_iter().chain(more.iter().copied()).collect();
        say(example, &given)
    };
    assert_eq!(ai(&exchange(), &[("domain", "octagons")]), Said::Unknown);
    for inference in ["binary", "strategy"] {
        let rows = "2*x + 3*y; -x\n-y";
        let said = ai(&exchange(), &[MATRIX, ("template", rows), ("inference", inference)]);
        assert!(matches!(said, Said::Safe(_)), "{inference}: {said:?}");
        // Beside built-in rows.
        let said = ai(&exchange(), &[("domain", "intervals"), ("template", "2 plant.x + 3*y"), ("inference", inference)]);
        assert!(matches!(said, Said::Safe(_)), "{inference}: {said:?}");
        // Other coefficients do not help.
        assert_eq!(ai(&exchange(), &[MATRIX, ("template", "x + y; x; -x; -y"), ("inference", inference)]), Said::Unknown);
    }
    // Flags count.
    assert_eq!(ai(&ring(), &[("domain", "intervals")]), Said::Unknown);
    assert!(matches!(ai(&ring(), &[MATRIX, ("template", "x + y + z")]), Said::Safe(_)));
}

#[test]
fn rows_of_integers_and_floats() {
    let int = numbers::exchange(Value::Int(300), Value::Int(0), [3, 2, 201].map(Value::Int));
    for (example, rows) in [(int, "2*x + 3*y; -x"), (numbers::complement(), "y + x; x")] {
        let given = [MATRIX, ("template", rows), ("mode", "ai")];
        assert!(matches!(say(&example, &given), Said::Safe(_)), "{} {rows}", example.name);
    }
}

#[test]
fn mistakes_name_their_place() {
    let read = |text: &str| Matrix::read(text).unwrap_err();
    assert_eq!(read("x + y; 2*"), "option `template`, row 2, column 3: a variable is missing: a row is like `2*x - 3*y`");
    assert_eq!(read("x y"), "option `template`, row 1, column 3: `+`, `-` or the end of the row is missing");
    assert_eq!(read("0*x"), "option `template`, row 1, column 1: the coefficient is a whole number from 1 to 1048576");
    assert_eq!(read("x\n y + 99999999999999999999 z").split(':').next(), Some("option `template`, row 2, column 5"));
    assert_eq!(read("x * y").split(':').next(), Some("option `template`, row 1, column 3"));
    assert_eq!(Matrix::read(" ;\n; "), Ok(Matrix::default()));
}

#[track_caller]
fn refused(example: &Example, rows: &str) -> String {
    let template = Matrix::read(rows).unwrap();
    let options = KikiOptions {
        mode: Mode::Kiki,
        domain: Domain::Matrix,
        template,
        guards: Guards::Places,
        inference: Solving::Binary,
        bound: None,
    };
    let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
    let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
    match Kiki::new(options, solvers()).run(&mut cx, &reduced.cfa) {
        Err(Stop::Reason(Reason::Unsupported(why))) => why,
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn names_that_the_program_does_not_have_are_refused() {
    let example = exchange();
    assert_eq!(refused(&example, "x; y + w"), "option `template`, row 2, column 5: there is no variable `w`");
    let mut b = Builder::new();
    let (x, y) = (b.var("a.x", Value::int(8, 0)), b.var("b.x", Value::f32(0.0)));
    let (x_e, y_e) = (b.v(x), b.v(y));
    let (some, nan) = (b.less(x, 9), b.pool.fp_test(kernel::expr::FpTest::IsNan, y_e));
    let bad = b.pool.and(some, nan);
    let l = b.then(b.cfa.head, Op::Assign(x, x_e));
    let l = b.then(l, Op::Havoc(y));
    let l = b.then(l, Op::Havoc(x));
    b.close(l, bad);
    let example = Example { name: "mixed", pool: b.pool, cfa: b.cfa, answer: Known::Unsafe(1) };
    assert_eq!(refused(&example, "x"), "option `template`, row 1, column 1: `x` is not unique: `a.x`, `b.x`");
}

#[test]
fn a_matrix_without_rows_is_refused() {
    let options = BTreeMap::from([("domain".to_owned(), "matrix".to_owned())]);
    let error = configure(ENGINES, "kiki", &options, &solvers()).err();
    assert_eq!(error.as_deref(), Some("option `domain`: `matrix` needs the rows of the option `template`"));
}
