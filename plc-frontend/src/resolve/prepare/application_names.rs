//! Names by which users choose one of several applications of a file.
//!
//! The shortest form that means one application is its name: `Device`, `App`, `Device.App`, or with a number, `App#2`.

use crate::ast::{Configuration, Item, Resource, Unit};

/// Application of a file: a CONFIGURATION, or one of its resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Application {
    /// Position among the configurations of the file.
    pub(crate) configuration: usize,
    /// Position among its resources; `None` for all of them.
    pub(crate) resource: Option<usize>,
}

pub(crate) fn as_configuration(item: &Item) -> Option<&Configuration> {
    if let Item::Configuration(configuration) = item { Some(configuration) } else { None }
}

/// Returns the configurations of a file.
pub(crate) fn configurations(unit: &Unit) -> impl Iterator<Item = &Configuration> {
    unit.items.iter().filter_map(as_configuration)
}

/// Returns the applications that a name means. More than one: the user has to choose.
pub(crate) fn named(unit: &Unit, name: &str) -> Vec<Application> {
    let name = name.trim();
    let found = with_name(unit, name);
    let numbered = || {
        let (base, number) = name.rsplit_once('#')?;
        let at = number.parse::<usize>().ok()?.checked_sub(1)?;
        with_name(unit, base).get(at).copied()
    };
    if found.is_empty() { numbered().into_iter().collect() } else { found }
}

/// Returns the applications with a name. A device comes before applications, and these before their names with the device.
fn with_name(unit: &Unit, name: &str) -> Vec<Application> {
    let is_name = |own: Option<&str>| own.is_some_and(|own| own.eq_ignore_ascii_case(name));
    let devices = configurations(unit).enumerate().filter(|(_, it)| is_name(it.name.as_ref().map(|own| own.text.as_str())));
    let devices: Vec<Application> = devices.map(|(configuration, _)| Application { configuration, resource: None }).collect();
    let resources = |wanted: &dyn Fn(&Configuration, &Resource) -> bool| -> Vec<Application> {
        let rows =
            configurations(unit).enumerate().flat_map(|(at, it)| it.resources.iter().enumerate().map(move |r| (at, it, r)));
        let rows = rows.filter(|(_, it, (_, resource))| wanted(it, resource));
        rows.map(|(configuration, _, (resource, _))| Application { configuration, resource: Some(resource) }).collect()
    };
    let short = |_: &Configuration, resource: &Resource| is_name(resource.name.as_ref().map(|own| own.text.as_str()));
    let long = |it: &Configuration, resource: &Resource| is_name(long_name(it, resource).as_deref());
    let levels = [devices, resources(&short), resources(&long)];
    levels.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

fn long_name(configuration: &Configuration, resource: &Resource) -> Option<String> {
    Some(format!("{}.{}", configuration.name.as_ref()?.text, resource.name.as_ref()?.text))
}

/// Returns the shortest name that means this application only; `None` if it has no name.
pub(crate) fn label(unit: &Unit, application: Application) -> Option<String> {
    let configuration = configurations(unit).nth(application.configuration)?;
    let names = match application.resource {
        None => vec![configuration.name.as_ref()?.text.clone()],
        Some(at) => {
            let resource = configuration.resources.get(at)?;
            let short = resource.name.as_ref().map(|own| own.text.clone());
            short.into_iter().chain(long_name(configuration, resource)).collect()
        }
    };
    let alone = names.iter().find(|name| named(unit, name) == [application]).cloned();
    alone.or_else(|| {
        let (name, at) = names.iter().rev().find_map(|name| {
            let at = with_name(unit, name).iter().position(|other| *other == application)?;
            Some((name, at))
        })?;
        Some(format!("{name}#{}", at + 1))
    })
}

/// Returns the names of all applications with programs: of devices, and of their applications where they have several.
pub(crate) fn labels(unit: &Unit) -> Vec<String> {
    let mut all = Vec::new();
    for (at, configuration) in configurations(unit).enumerate() {
        let runs = |resource: &Resource| !resource.programs.is_empty();
        let running: Vec<usize> = (0..configuration.resources.len()).filter(|it| runs(&configuration.resources[*it])).collect();
        let several = running.iter().filter(|_| 1 < running.len()).map(|it| Some(*it));
        let whole = [None].into_iter().filter(|_| running.len() == 1);
        all.extend(several.chain(whole).filter_map(|resource| label(unit, Application { configuration: at, resource })));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Application, label, labels, named};
    use crate::ast::Unit;
    use crate::text::SourceSet;

    fn unit(text: &str) -> Unit {
        let mut sources = SourceSet::default();
        let id = sources.add("a.st", text.to_owned());
        crate::lang::parse(id, &sources.files[id]).value
    }

    #[test]
    fn each_application_has_a_name_that_means_it_only() {
        let resource = |name: &str| format!("RESOURCE {name} ON p\nPROGRAM i : P;\nEND_RESOURCE\n");
        let device = |name: &str, inside: &[&str]| {
            let inside: String = inside.iter().map(|it| resource(it)).collect();
            format!("CONFIGURATION {name}\n{inside}END_CONFIGURATION\n")
        };
        for (text, expected) in [
            (device("c", &["r"]), "c"),
            (device("c", &["r", "s"]), "r s"),
            (device("c", &["r", "r"]), "c.r#1 c.r#2"),
            (device("c", &["r", "s"]) + &device("d", &["r", "t"]), "c.r s d.r t"),
            (device("c", &["r", "s"]) + &device("c", &["r", "t"]), "c.r#1 s c.r#2 t"),
            (device("c", &["r"]) + &device("c", &["s"]), "c#1 c#2"),
            (device("c", &["c", "d"]), "c.c d"),
        ] {
            let unit = unit(&text);
            assert_eq!(labels(&unit).join(" "), expected, "{text}");
            for name in labels(&unit) {
                let found = named(&unit, &name.to_uppercase());
                assert_eq!(found.len(), 1, "{name}: {text}");
                assert_eq!(label(&unit, found[0]).as_deref(), Some(name.as_str()));
            }
        }
        let unit = unit(&(device("c", &["r"]) + &device("d", &["r"])));
        assert_eq!(named(&unit, "r").len(), 2);
        assert_eq!(named(&unit, "R#2"), [Application { configuration: 1, resource: Some(0) }]);
        assert!(["x", "r#3", "r#0", "#1", ""].iter().all(|name| named(&unit, name).is_empty()));
    }
}
