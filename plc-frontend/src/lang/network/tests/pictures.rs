//! Drawings of networks.

use super::super::graph::Language;
use super::draw::lowered;
use crate::hir::{Carrier, Shape};

/// Returns one element a line, then its wires.
fn picture(text: &str) -> Vec<String> {
    let lowered = lowered(text, Language::Ladder, true);
    let mut rows = Vec::new();
    for diagram in &lowered.diagrams {
        rows.push(format!("-- {}", diagram.elements.len()));
        for e in &diagram.elements {
            let carrier = name(&e.carrier);
            rows.push(format!("{:?} {} {},{} {carrier}", e.shape, e.mark, e.x, e.y));
        }
        for w in &diagram.wires {
            rows.push(format!("{}.{} -> {}.{} {}", w.from, w.output, w.to, w.input, name(&w.carrier)));
        }
    }
    rows
}

fn name(carrier: &Carrier) -> &str {
    match carrier {
        Carrier::Always => "always",
        Carrier::Hidden(name) => name,
        Carrier::Expression(_) | Carrier::Complement(_) => "value",
        Carrier::Written(_) | Carrier::State(_) => "other",
        Carrier::Unknown => "?",
    }
}

#[test]
fn each_network_is_a_picture_with_its_rail() {
    let found = picture(
        "1 rail @0,0
         5 contact c <1 @50,200
         6 coil y <5 @90,200
         2 contact:! a <1 @50,10
         3 contact:P b <1 @50,40
         4 coil:S x <2,3 @90,10
         7 comment @0,0",
    );
    let expected = [
        "-- 4",
        "Contact / 50,10 _w1_3",
        "Contact P 50,40 _w1_4cp",
        "Coil S 90,10 _w1_5",
        "LeftRail  10,10 always",
        "3.0 -> 0.0 always",
        "3.0 -> 1.0 always",
        "0.0 -> 2.0 _w1_3",
        "1.0 -> 2.0 _w1_4cp",
        "-- 3",
        "Contact  50,200 _w1_1",
        "Coil  90,200 _w1_1",
        "LeftRail  10,200 always",
        "2.0 -> 0.0 always",
        "0.0 -> 1.0 _w1_1",
    ];
    assert_eq!(found, expected);
}

#[test]
fn without_positions_there_is_a_grid() {
    let found = picture("1 rail\n2 block TON t IN<1 PT=T#1s -> Q ET\n3 coil x <2.Q\n4 out y <2.ET");
    let places: Vec<&str> = found.iter().filter(|row| !row.contains("->")).map(String::as_str).collect();
    assert_eq!(
        places,
        [
            "-- 5",
            "Block  0,0 _w1_1",
            "Coil  140,0 _w1_1",
            "Variable  140,60 ?",
            "LeftRail  -40,0 always",
            "Variable  -36,30 value"
        ]
    );
    let lowered = lowered("2 block TON t IN:!=a ~io=v -> Q:! ET", Language::Blocks, true);
    let block = &lowered.diagrams[0].elements[0];
    assert_eq!(
        (block.shape, block.inputs.join(" "), block.outputs.join(" ")),
        (Shape::Block, "○IN io".into(), "○Q ET io".into())
    );
}
