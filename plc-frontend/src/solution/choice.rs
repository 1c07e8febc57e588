//! The project that runs: the user's choice, or the only one that can be meant.

use super::{Project, Solution};

/// A choice of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This project, by its position.
    One(usize),
    /// All files together: no project of a system has a program.
    All,
    /// One of these must be chosen.
    Several(Vec<usize>),
    /// No project has the name.
    Unknown,
}

impl Solution {
    /// Returns the project of a name. Without a name: the only one with a program that is no test and no library of another.
    /// Projects that a system lists come before other files.
    pub fn choose(&self, name: Option<&str>) -> Choice {
        if let Some(name) = name {
            return self.named(name);
        }
        let all: Vec<usize> = (0..self.projects.len()).collect();
        if all.len() < 2 {
            return all.first().map_or(Choice::All, |only| Choice::One(*only));
        }
        let of = |wanted: &dyn Fn(usize, &Project) -> bool| -> Vec<usize> {
            let projects = self.projects.iter().enumerate();
            projects.filter(|(at, project)| project.has_program && wanted(*at, project)).map(|(at, _)| at).collect()
        };
        // Files beside the projects of a system are none of it. A library may have a program to try it out.
        let is_usual = |_: usize, project: &Project| project.is_listed && !project.is_test;
        let listed = [
            of(&|at, project| is_usual(at, project) && !self.is_library(at)),
            of(&is_usual),
            of(&|_, project| project.is_listed),
        ];
        if let Some(group) = listed.into_iter().find(|group| !group.is_empty()) {
            return one_of(group);
        }
        let loose = [of(&|_, project| !project.is_test), of(&|_, _| true)];
        match loose.into_iter().find(|group| !group.is_empty()) {
            Some(group) if 1 < group.len() || !self.projects.iter().any(|project| project.is_listed) => one_of(group),
            Some(_) | None => Choice::All,
        }
    }

    fn named(&self, name: &str) -> Choice {
        let name = name.trim().trim_end_matches('/');
        let has = |wanted: &dyn Fn(&Project) -> bool| -> Vec<usize> {
            self.projects.iter().enumerate().filter(|(_, project)| wanted(project)).map(|(at, _)| at).collect()
        };
        let folders = has(&|project| project.folder.trim_end_matches('/').eq_ignore_ascii_case(name) && !name.is_empty());
        let named = has(&|project| project.name.eq_ignore_ascii_case(name));
        match [folders, named].into_iter().find(|found| !found.is_empty()) {
            Some(found) => one_of(found),
            None => Choice::Unknown,
        }
    }
}

fn one_of(projects: Vec<usize>) -> Choice {
    match projects.as_slice() {
        [one] => Choice::One(*one),
        _ => Choice::Several(projects),
    }
}
