//! Trees, places, texts in place, and every kind of damaged or hostile file.

use proptest::prelude::*;

use super::{Document, Element, FILLER, read};
use crate::text::FileId;

fn tree(text: &str) -> (Document, Vec<String>) {
    let parsed = read(FileId(0), text);
    let place = |d: &crate::text::Diagnostic| format!("{} {} {}", d.code, d.span().start, d.message);
    (parsed.value, parsed.diagnostics.iter().map(place).collect())
}

/// Returns `name[attribute=value](children)"text"`.
fn show(element: Element<'_>) -> String {
    let attributes: String = element.attributes().map(|(n, v)| format!("[{n}={}]", v.text)).collect();
    let children: Vec<String> = element.children().map(show).collect();
    let text = element.text_range().map_or(String::new(), |_| format!("{:?}", element.text()));
    let children = if children.is_empty() { String::new() } else { format!("({})", children.join(" ")) };
    format!("{}{attributes}{children}{text}", element.name())
}

/// Reads a text in which `~` stands for the filler.
fn plain(text: &str) -> String {
    let (document, _) = tree(text);
    assert_eq!(document.plain().len(), text.len());
    document.plain().replace(FILLER, "~")
}

#[test]
fn trees() {
    let check = |text: &str, expected: &str| {
        let (document, findings) = tree(text);
        assert_eq!(document.root().map_or(String::new(), show), expected, "{text}");
        assert_eq!(findings, Vec::<String>::new(), "{text}");
    };
    check("<a/>", "a");
    check("\u{feff}<?xml version=\"1.0\"?><!-- c --><a><b x='1' y=\"&lt;\"/> <c>t</c></a>", "a(b[x=1][y=<] c\"t\")");
    check("\u{feff}\u{feff}<a/>", "a");
    check("<a><b><c/></b><d/></a>", "a(b(c) d)");
    check("<p:a xmlns:p='u'><p:b/></p:a>", "a[xmlns:p=u](b)");
    check("<a>x<!-- c -->y<![CDATA[<&]]>z</a>", "a\"xy<&z\"");
    check("<a>one <b class='x'>two</b> three</a>", "a(b[class=]\"two\")\"one two three\"");
    check("<a><![CDATA[]]></a>", "a\"\"");
    check("<a>&#65;&#x42;&amp;&quot;&apos;</a>", "a\"AB&\\\"'\"");
}

#[test]
fn namespaces() {
    let (document, _) = tree("<a xmlns='one' xmlns:p='two'><p:b/><c xmlns='three'/></a>");
    let root = document.root().unwrap();
    let spaces: Vec<_> = std::iter::once(root).chain(root.descendants()).map(|e| e.namespace().unwrap().into_owned()).collect();
    assert_eq!(spaces, ["one", "two", "three"]);
    assert_eq!(root.attribute("p").map(|v| v.text), None, "a declaration is no attribute");
}

#[test]
fn places() {
    let text = "<a>\n  <b name='ä&amp;x'>t&lt;u</b>\n</a>";
    let (document, _) = tree(text);
    let b = document.root().unwrap().child("b").unwrap();
    let of = |span: crate::text::Span| &text[span.start as usize..span.end as usize];
    assert_eq!(of(b.tag_span()), "<b name='ä&amp;x'>");
    assert_eq!(of(b.span()), "<b name='ä&amp;x'>t&lt;u</b>");
    let name = b.attribute("name").unwrap();
    assert_eq!((of(name.span), name.text.as_ref()), ("ä&amp;x", "ä&x"));
    assert_eq!(&text[b.text_range().unwrap()], "t&lt;u");
    assert_eq!(b.text(), "t<u");
    assert_eq!(b.parent().map(|p| p.name()), Some("a"));
}

#[test]
fn texts_are_unescaped_in_place() {
    let check = |inner: &str, expected: &str| {
        assert_eq!(plain(&format!("<a>{inner}</a>")), format!("~~~{expected}~~~~"), "{inner}");
    };
    check("x &lt; y", "x <~~~ y");
    check("x&lt;&gt;y", "x<>~~~~~~y");
    check("x &lt;= y", "x <=~~~ y");
    check("x =&gt; y", "x =>~~~ y");
    check("&gt;&lt;", ">~~~<~~~");
    check("a --&gt; b", "a -->~~~ b");
    check("a &#58;= b", "a :=~~~~ b");
    check("a &amp;&amp; b", "a &&~~~~~~~~ b");
    check("gr&#246;&#223;e:=1", "größe~~~~~~~~:=1");
    check("$&apos;'", "$'~~~~~'");
    check("'&#36;''", "'$'~~~~'");
    check("'a&amp;b'", "'a&~~~~b'");
    check("(&#42; c *)", "(*~~~~ c *)");
    check("x<!-- no\nno -->y", "x~~~~~~~\n~~~~~~y");
    check("<![CDATA[a<b&lt;]]>", "~~~~~~~~~a<b&lt;~~~");
    check("]]&gt;", "]]>~~~");
    assert_eq!(plain("<a x='1&lt;=2'/>"), "~~~~~~1<=~~~2~~~".to_owned());
}

#[test]
fn damaged_files_deliver_the_rest() {
    let check = |text: &str, expected: &str, findings: &[&str]| {
        let (document, found) = tree(text);
        assert_eq!(document.root().map_or(String::new(), show), expected, "{text}");
        assert_eq!(found, findings, "{text}");
    };
    check("", "", &["P0006 0 this XML file has no element"]);
    check("<a><b>1</b><c>", "a(b\"1\" c)", &["P0006 11 `<c>` has no end"]);
    check("<a><b><c></b></a>", "a(b(c))", &["P0006 6 `<c>` has no end"]);
    check("<a></b><c/></a>", "a(c)", &["P0006 3 `</b>` ends nothing that is open"]);
    check("<a/><b/>", "a", &["P0006 4 there is a second outermost element"]);
    check("<a/>text", "a", &["P0006 4 there is text outside of the outermost element"]);
    check("<a><b/><c", "a(b)", &["P0006 7 this tag has no end"]);
    check("<a><b x='1></a>", "a", &["P0006 3 an attribute of this tag has no closing quote"]);
    check("<a x=1 y='2'/>", "a[y=2]", &["P0006 5 the value of an attribute has no quotes"]);
    check("<a x y='2'/>", "a[y=2]", &["P0006 5 an attribute has no value"]);
    check("<a x='1' x='2'/>", "a[x=1]", &["P0006 9 an attribute is given twice"]);
    check("<a><!-- b</a>", "a", &["P0006 3 this comment has no end"]);
    check("<a>x & y</a>", "a\"x & y\"", &["P0014 5 `&` starts no entity"]);
    check("<a>x &amp y</a>", "a\"x &amp y\"", &["P0014 5 `&` starts no entity"]);
    check("<a>&#0;</a>", "a\"&#0;\"", &["P0014 3 this is not a character of a text"]);
    check("<a>&#127;</a>", "a\"&#127;\"", &["P0014 3 this is not a character of a text"]);
}

#[test]
fn a_cdata_section_without_end_ends_with_its_element() {
    let check = |text: &str, expected: &str| {
        let (document, found) = tree(text);
        assert_eq!(document.root().map_or(String::new(), show), expected, "{text}");
        assert_eq!(found, ["P0006 6 this CDATA section has no end"], "{text}");
    };
    check("<a><b><![CDATA[one</b><c><![CDATA[two]]></c></a>", "a(b\"one\" c\"two\")");
    check("<a><b><![CDATA[one</b><c/></a>", "a(b\"one\" c)");
    let (document, found) = tree("<a><![CDATA[one");
    assert_eq!(show(document.root().unwrap()), "a\"one\"");
    assert_eq!(found, ["P0006 0 `<a>` has no end", "P0006 3 this CDATA section has no end"]);
    // The section is cut off, or misspelled with a letter of several bytes.
    for text in ["<a><![CDATA", "<a><![", "<a><![CDATAΥ]]></a>", "<a><![CDATä", "<a><![x"] {
        let (document, found) = tree(text);
        assert_eq!(document.root().map(|r| r.name()), Some("a"), "{text}");
        assert!(found.iter().any(|f| f == "P0006 3 this CDATA section has no end"), "{text}: {found:?}");
    }
}

#[test]
fn document_types_and_entities_are_refused() {
    let bomb = "<!DOCTYPE a [<!ENTITY l 'lol'><!ENTITY m '&l;&l;&l;&l;'>]><a>&m;</a>";
    let (document, found) = tree(bomb);
    assert_eq!(document.root().unwrap().text(), "&m;");
    assert_eq!(found, ["P0007 0 this file has a document type definition (DTD)", "P0007 61 `&m;` is not declared"]);
    let (document, found) = tree("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>");
    assert_eq!((document.root().map(show).as_deref(), found.len()), (Some("a"), 1));
    assert!(tree("<!DOCTYPE a [ <a/>").1[0].starts_with("P0007"));
}

#[test]
fn size_and_depth_are_limited() {
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    let (document, found) = tree(&deep);
    assert_eq!(document.root().unwrap().descendants().count(), 127);
    assert_eq!(found, ["P0008 384 elements are nested more than 128 levels deep"]);

    let many = format!("<a>{}</a>", "<b/>".repeat(1_000_001));
    let (document, found) = tree(&many);
    assert_eq!(document.root().unwrap().children().count(), 999_999);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("P0008 "), "{found:?}");

    let huge = format!("<a x='{}' y='1'/>", "z".repeat((1 << 20) + 1));
    let (document, found) = tree(&huge);
    assert_eq!(show(document.root().unwrap()), "a[y=1]");
    assert_eq!(found, ["P0008 3 the value of this attribute is longer than 1 MB"]);

    let crowd: String = (0..1000).map(|i| format!(" a{i}='1'")).collect();
    let (document, found) = tree(&format!("<a{crowd}/>"));
    assert_eq!(document.root().unwrap().attributes().count(), 256);
    assert_eq!(found.len(), 1);

    // A search for each missing end would read to the end of the file.
    let sections = "<b><![CDATA[x</b>".repeat(20_000);
    let started = std::time::Instant::now();
    let (_, found) = tree(&format!("<a>{sections}</a>"));
    assert!(found.iter().any(|f| f.contains("too many sections")), "{found:?}");
    assert!(started.elapsed().as_secs() < 5);
}

proptest! {
    #[test]
    fn any_text_is_read_and_keeps_its_length(pieces in proptest::collection::vec(proptest::sample::select(vec![
        "<a>", "</a>", "<b x='", "'", "/>", ">", "<", "&lt;", "&", ";", "&#228;", "<![CDATA[", "<![CDATA", "<![", "]]>", "<!--", "-->", "<?", "?>",
        "<!DOCTYPE", "[", "]", "ä", "x", " ", "\n", "\"", "=", "\u{7f}", "\u{feff}", "</b>", "<b>",
    ]), 0..30)) {
        let text = pieces.concat();
        let parsed = read(FileId(0), &text);
        prop_assert_eq!(parsed.value.plain().len(), text.len());
        for diagnostic in &parsed.diagnostics {
            for label in &diagnostic.labels {
                prop_assert!(text.get(label.span.start as usize..label.span.end as usize).is_some(), "{:?}", diagnostic);
            }
        }
        let root = parsed.value.root();
        for element in root.into_iter().chain(root.into_iter().flat_map(|r| r.descendants())) {
            let span = element.span();
            prop_assert!(text[span.start as usize..span.end as usize].starts_with('<'));
            prop_assert!(element.text_range().is_none_or(|r| parsed.value.plain().get(r).is_some()));
            prop_assert!(element.attributes().all(|(_, v)| text.get(v.range.clone()).is_some()));
        }
    }
}
