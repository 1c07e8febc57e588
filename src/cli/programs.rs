//! From paths on the command line to jobs.

use std::path::{Path, PathBuf};

use plc_frontend::archive::{self, requirement_files};
use plc_frontend::lang::{FileRole, TOO_LARGE, holds_no_text, is_ignored, refused, role};
use plc_frontend::solution::{is_requirement_file, is_stub_file};
use plc_frontend::source::{FileId, SourceSet, decode};

use super::Failure;
use super::args::StatementArgs;
use super::folder::{has_ending, projects, walk};
use crate::run::job::SourceText;
use kernel::property::lines::Lines;
use kernel::property::spec::Specification;

/// Files larger than this are refused before they are read.
const MAX_BYTES: u64 = 20 << 20;
/// The same of zip archives.
const MAX_ARCHIVE_BYTES: u64 = 64 << 20;

/// Endings of published models, which are programs of their own in a directory.
const MODELS: &[&str] = &["cfa", "theta"];

/// Endings of archives, which are programs of their own.
const ARCHIVES: &[&str] = &["zip"];
/// Endings of exports of CoDeSys 2.3. Other systems have other files of this ending.
const EXPORTS: &[&str] = &["exp"];

/// A program to verify.
pub(super) struct Program {
    /// As it was named.
    pub(super) name: String,
    /// Its sources.
    pub(super) sources: Vec<SourceText>,
    /// Its specification.
    pub(super) specification: Specification,
    /// The requirement file, if there is one.
    pub(super) stated_in: Option<RequirementFile>,
}

/// A requirement file.
#[derive(Clone)]
pub(super) struct RequirementFile {
    /// Its path.
    pub(super) name: String,
    /// Lines of its parts.
    pub(super) lines: Lines,
}

/// Problem with a path or its content, as one sentence.
pub(super) struct Problem(pub(super) String);

/// Collects programs. The files make one together. A directory gives one for each project of an engineering system in it, or
/// the named one. Tests and libraries of others are none.
/// Without such projects it gives one for each file of ST, IL or PLCopen XML, at any depth.
///
/// `Err` rows are programs that could not be read; the others go on.
pub(super) fn collect(paths: &[PathBuf], req: Option<&Path>, project: Option<&str>) -> Vec<NamedProgram> {
    let (stubs, paths): (Vec<&PathBuf>, Vec<&PathBuf>) = paths.iter().partition(|path| holds_only_stubs(path));
    // Stubs alone are a program: the front end says what is missing.
    let (stubs, paths) = if paths.is_empty() { (Vec::new(), stubs) } else { (stubs, paths) };
    let stubs: Vec<PathBuf> = stubs.into_iter().flat_map(|path| stub_files(path).unwrap_or_default()).collect();
    let (directories, mut files): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().cloned().partition(|p| p.is_dir());
    let mut programs = Vec::new();
    if !files.is_empty() {
        files.extend(stubs.iter().cloned());
    }
    if !files.is_empty() {
        let name = files.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(" ");
        programs.push(program(name, &files, req, &requirement_files(&files[0]), project));
    }
    for directory in directories {
        match of_directory(&directory, req, project, &stubs) {
            Ok(found) => programs.extend(found),
            Err(problem) => programs.push((directory.display().to_string(), Err(problem))),
        }
    }
    programs
}

/// A program or the problem with it, by name.
type NamedProgram = (String, Result<Program, Problem>);

/// Returns the programs in a directory.
///
/// `stubs` are files with stubs that belong to each of them.
fn of_directory(
    directory: &Path,
    req: Option<&Path>,
    project: Option<&str>,
    stubs: &[PathBuf],
) -> Result<Vec<NamedProgram>, Problem> {
    let found = walk(directory)?;
    for archive in found.iter().filter(|path| has_ending(path, ARCHIVES)) {
        let name = archive.display();
        super::print::complain(&format!("{name}: not opened inside of a folder; give its path, or unpack it"));
    }
    let text = |path: &Path| if holds_no_text(&path.to_string_lossy()) { Some(String::new()) } else { text_of(path) };
    let of_root = requirement_files(&directory.join(REQUIREMENTS)).into_iter().find(|path| path.is_file());
    let named = project.map(str::to_owned).or_else(|| project_named_in(req.or(of_root.as_deref())?));
    let folder = projects(directory, &found, named.as_deref(), &text)?;
    let mut programs = Vec::new();
    let mut asked: Vec<PathBuf> = Vec::new();
    for of_system in &folder.projects {
        let is_about = |path: &PathBuf| folder.is_about(of_system, project_named_in(path).as_deref());
        let within = requirement_files(&of_system.folder.join(REQUIREMENTS));
        let above = above(&of_system.folder, directory).filter(is_about);
        let beside: Vec<PathBuf> = within.into_iter().chain(requirement_files(&of_system.folder)).chain(above).collect();
        let chosen = of_system.name.as_deref().or(project);
        asked.extend(beside.iter().cloned());
        let files: Vec<PathBuf> = of_system.files.iter().chain(stubs).cloned().collect();
        programs.push(program(of_system.folder.display().to_string(), &files, req, &beside, chosen));
    }
    let is_program = |file: &&PathBuf| role(&file.to_string_lossy()) == Some(FileRole::Program) || has_ending(file, MODELS);
    let alone: Vec<&PathBuf> = folder.rest.iter().filter(is_program).collect();
    let (stubs_beside, alone) = stubs_of_files(alone, folder.projects.is_empty());
    let is_none = folder.projects.is_empty() && folder.unread.is_empty() && alone.is_empty();
    // CoDeSys 2.3 exports one program into several files.
    let exports: Vec<PathBuf> = folder.rest.iter().filter(|path| has_ending(path, EXPORTS) && is_export(path)).cloned().collect();
    if is_none && !exports.is_empty() {
        let beside: Vec<PathBuf> = of_root.into_iter().collect();
        return Ok(vec![program(directory.display().to_string(), &exports, req, &beside, project)]);
    }
    let closed: Vec<PathBuf> = folder.rest.iter().filter(|path| may_be_program(path)).cloned().collect();
    if is_none && !closed.is_empty() {
        // The front end names each of them, and the way to a text.
        let beside: Vec<PathBuf> = of_root.into_iter().collect();
        return Ok(vec![program(directory.display().to_string(), &closed, req, &beside, project)]);
    }
    if is_none {
        return Err(Problem(format!("{}: no .st or .xml file and no project in this directory", directory.display())));
    }
    for path in &closed {
        super::print::complain(&format!("{}: not read, and part of no program here", path.display()));
    }
    for file in &alone {
        let n_programs = |folder_of: &Path| {
            let files = alone.iter().map(|other| other.as_path());
            files.chain(folder.projects.iter().map(|p| p.folder.as_path())).filter(|path| path.starts_with(folder_of)).count()
        };
        // A requirement file of a folder is about the only program in it.
        let above = above(file, directory).filter(|path| path.parent().is_some_and(|parent| n_programs(parent) == 1));
        let beside: Vec<PathBuf> = requirement_files(file).into_iter().chain(above).collect();
        asked.extend(beside.iter().cloned());
        let of_folder = stubs_beside.iter().copied().filter(|stub| stub.parent().is_some_and(|around| file.starts_with(around)));
        let files: Vec<PathBuf> = std::iter::once(*file).chain(stubs).chain(of_folder).cloned().collect();
        programs.push(program(file.display().to_string(), &files, req, &beside, project));
    }
    for path in found.iter().filter(|path| req.is_none() && states_requirements(path) && !asked.contains(path)) {
        super::print::complain(&format!("{}: not read, because it belongs to no single program", path.display()));
    }
    programs.extend(folder.unread.into_iter().map(|(folder, problem)| (folder.display().to_string(), Err(problem))));
    Ok(programs)
}

/// Returns the files with stubs alone, which belong to the programs of their folder and below it, and those programs. Where all files
/// are such ones and there is no project (`is_all`), they are the programs.
fn stubs_of_files(files: Vec<&PathBuf>, is_all: bool) -> (Vec<&PathBuf>, Vec<&PathBuf>) {
    let (stubs, programs): (Vec<&PathBuf>, Vec<&PathBuf>) = files.iter().copied().partition(|path| holds_only_stubs(path));
    if programs.is_empty() && is_all { (Vec::new(), files) } else { (stubs, programs) }
}

/// Returns whether a file has requirements, by its name or by its content.
fn states_requirements(path: &Path) -> bool {
    let has_key = |text: String| text.lines().any(|line| line.starts_with("requirements:"));
    is_requirement_file(&path.to_string_lossy()) || has_ending(path, YAML) && text_of(path).is_some_and(has_key)
}

/// Endings of files with requirements.
const YAML: &[&str] = &["yaml", "yml"];

/// Returns the files with stubs of a path; `None` if it has other sources, too.
fn stub_files(path: &Path) -> Option<Vec<PathBuf>> {
    let files = if path.is_dir() { walk(path).ok()? } else { vec![path.to_path_buf()] };
    let is_stub = |path: &PathBuf| text_of(path).is_some_and(|text| is_stub_file(&text));
    let sources: Vec<PathBuf> = files.into_iter().filter(|path| role(&path.to_string_lossy()).is_some()).collect();
    sources.iter().all(is_stub).then_some(sources)
}

fn holds_only_stubs(path: &Path) -> bool {
    stub_files(path).is_some_and(|files| !files.is_empty())
}

/// Endings of sources of TIA Portal that cannot be read (V20).
const UNREADABLE: &[&str] = &["s7dcl"];

/// Returns whether a file that is in no project holds a program of an engineering system that cannot be read.
fn may_be_program(path: &Path) -> bool {
    let name = path.to_string_lossy();
    let is_closed = refused(&name).is_some() || has_ending(path, UNREADABLE);
    is_closed && !is_ignored(&name)
}

/// Name of a folder's requirement file without its ending.
const REQUIREMENTS: &str = "requirements";

/// Returns the requirement files of the folders around a path, up to a directory, the nearest first.
fn above(path: &Path, directory: &Path) -> impl Iterator<Item = PathBuf> {
    let folders: Vec<&Path> = path.ancestors().skip(1).take_while(|folder| folder.starts_with(directory)).collect();
    let files: Vec<PathBuf> = folders.iter().flat_map(|folder| requirement_files(&folder.join(REQUIREMENTS))).collect();
    files.into_iter().filter(|file| file.is_file())
}

/// Returns the project that a requirement file names. A file with mistakes names none: they are reported when it is used.
fn project_named_in(path: &Path) -> Option<String> {
    specification(path).ok().and_then(|(stated, _)| stated.project)
}

/// Returns the one program of these files, with the statements of the command line. `what`: the result, for the error.
pub(super) fn one(files: &[PathBuf], stated: &StatementArgs, what: &str) -> Result<Program, Failure> {
    let mut programs = collect(files, stated.req.as_deref(), stated.reading.project.as_deref());
    let (Some((_, program)), true) = (programs.pop(), programs.is_empty()) else {
        return Err(Failure::usage(format!("{what} is of one program: name its files, or one directory with one program")));
    };
    let mut program = program?;
    stated.apply(&mut program.specification);
    Ok(program)
}

/// Returns the sources of paths given on the command line: of files, of zip archives, of everything below directories.
pub(super) fn sources(paths: &[PathBuf]) -> Result<SourceSet, Problem> {
    let mut set = SourceSet::default();
    for path in paths {
        let files = if path.is_dir() { walk(path)? } else { vec![path.clone()] };
        for text in texts_of(&files)?.sources {
            set.add(text.name, text.text);
        }
    }
    Ok(set)
}

fn program(
    name: String,
    files: &[PathBuf],
    req: Option<&Path>,
    beside: &[PathBuf],
    project: Option<&str>,
) -> (String, Result<Program, Problem>) {
    let mut found = beside.iter().filter(|path| path.is_file());
    let beside = found.next();
    let is_twin = |used: &PathBuf, other: &PathBuf| used.with_extension("") == other.with_extension("");
    let other = found.find(|other| beside.is_some_and(|used| is_twin(used, other)));
    if let (None, Some(used), Some(other)) = (req, beside, other) {
        super::print::complain(&format!("{}: not read, because there is {}", other.display(), used.display()));
    }
    let mut program = read(&name, files, req.or(beside.map(PathBuf::as_path)));
    if let (Ok(program), Some(project)) = (&mut program, project) {
        program.specification.project = Some(project.to_owned());
    }
    (name, program)
}

/// Reads the requirement file of a program's files: `req`, the one beside the first, or one inside of an archive.
pub(super) fn stated(files: &[PathBuf], req: Option<&Path>) -> Result<(Specification, Option<RequirementFile>), Problem> {
    let beside = files.first().filter(|file| !file.is_dir()).map(|file| requirement_files(file)).unwrap_or_default();
    let found = beside.iter().find(|path| path.is_file());
    let archives: Vec<PathBuf> = files.iter().filter(|file| has_ending(file, &["zip"])).cloned().collect();
    match req.or(found.map(PathBuf::as_path)) {
        Some(path) => specification(path),
        None => inside(&mut texts_of(&archives)?),
    }
}

fn read(name: &str, files: &[PathBuf], req: Option<&Path>) -> Result<Program, Problem> {
    let mut texts = texts_of(files)?;
    let (specification, stated_in) = match req {
        Some(path) => specification(path)?,
        None => inside(&mut texts)?,
    };
    Ok(Program { name: name.to_string(), sources: texts.sources, specification, stated_in })
}

/// Reads a requirement file.
fn specification(path: &Path) -> Result<(Specification, Option<RequirementFile>), Problem> {
    let (text, problems) = decode(&bytes(path)?);
    if !problems.is_empty() {
        return Err(Problem(format!("{}: neither UTF-8 text nor UTF-16 text", path.display())));
    }
    stated_by(path.display().to_string(), &text)
}

fn stated_by(name: String, text: &str) -> Result<(Specification, Option<RequirementFile>), Problem> {
    let stated = Specification::from_yaml(text).map_err(|e| Problem(format!("{name}: {e}")))?;
    Ok((stated, Some(RequirementFile { name, lines: Lines::of(text) })))
}

/// Reads requirements inside of archives: the first file beside a source is read, and is no source. It is named,
/// and so are others. Without one nothing is stated.
fn inside(texts: &mut Texts) -> Result<(Specification, Option<RequirementFile>), Problem> {
    let mut found = std::mem::take(&mut texts.stated).into_iter();
    let Some(used) = found.next() else { return Ok((Specification::default(), None)) };
    super::print::complain(&format!("{}: the requirements inside of the archive are used", used.name));
    for other in found {
        super::print::complain(&format!("{}: not read, because there is {}", other.name, used.name));
    }
    texts.sources.retain(|source| source.name != used.name);
    stated_by(used.name, &used.text)
}

/// Texts of files.
#[derive(Default)]
struct Texts {
    sources: Vec<SourceText>,
    /// Requirement files inside of archives, the one that is meant first.
    stated: Vec<archive::UploadedFile>,
}

fn texts_of(files: &[PathBuf]) -> Result<Texts, Problem> {
    let mut texts = Texts::default();
    for path in files {
        let name = path.display().to_string();
        let is_unknown = role(&name).is_none() && !has_ending(path, ARCHIVES);
        if is_unknown && !holds_no_text(&name) && is_too_large(path) {
            // A part of the program that is not read, and no reason to stop.
            super::print::complain(&format!("{name}: larger than {} MB, not read", MAX_BYTES >> 20));
            texts.sources.push(SourceText { name, text: TOO_LARGE.to_owned() });
            continue;
        }
        // The name alone says that there is no program in it: the front end gives advice.
        let bytes = if holds_no_text(&name) { Vec::new() } else { bytes(path)? };
        let upload = archive::open(&name, &bytes, &archive::Limits::default());
        if let Some(problem) = upload.problems.first() {
            return Err(Problem(problem.to_string()));
        }
        if archive::is_archive(&bytes) {
            texts.stated.extend(archive::beside(upload.files.iter().map(|file| file.name.as_str()), upload.stated));
        }
        for file in upload.files {
            for problem in file.problems {
                super::print::complain(&format!("{}: {}", file.name, problem.diagnostic(FileId(0)).message));
            }
            texts.sources.push(SourceText { name: file.name, text: file.text });
        }
    }
    Ok(texts)
}

/// Returns whether a file is an export of CoDeSys 2.3: a comment with a setting stands first.
fn is_export(path: &Path) -> bool {
    text_of(path).is_some_and(|text| text.trim_start_matches('\u{feff}').trim_start().starts_with("(* @"))
}

/// Returns the text of a file that can be read.
fn text_of(path: &Path) -> Option<String> {
    bytes(path).ok().map(|bytes| decode(&bytes).0)
}

fn is_too_large(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| MAX_BYTES < data.len())
}

/// Returns the contents of a file that is not too large.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    let problem = |e: std::io::Error| Problem(format!("{}: {e}", path.display()));
    let size = std::fs::metadata(path).map_err(problem)?.len();
    let most = if has_ending(path, &["zip"]) { MAX_ARCHIVE_BYTES } else { MAX_BYTES };
    if most < size {
        return Err(Problem(format!("{}: {} MB; the limit is {} MB", path.display(), size >> 20, most >> 20)));
    }
    std::fs::read(path).map_err(problem)
}

#[cfg(test)]
mod tests;
