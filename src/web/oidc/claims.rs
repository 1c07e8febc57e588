//! Name and role of a person, from the claims of a token.

use serde_json::Value;

use super::OidcSettings;
use crate::store::access::users::Role;

/// A person as a token names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::web) struct Person {
    /// Subject of the issuer.
    pub(in crate::web) subject: String,
    /// Name for log-in; `None` where the claim is absent.
    pub(in crate::web) name: Option<String>,
    /// Role; `None` where no value of the claim has one.
    pub(in crate::web) role: Option<Role>,
}

/// Returns the person of these claims.
pub(super) fn person(settings: &OidcSettings, subject: String, claims: &Value) -> Person {
    let name = find(claims, &settings.name_claim).and_then(Value::as_str).map(|name| name.trim().to_owned());
    let values = texts(find(claims, &settings.roles_claim));
    let row = settings.roles.iter().find(|(value, _)| values.contains(&value.as_str()));
    Person { subject, name: name.filter(|name| !name.is_empty()), role: row.map(|(_, role)| *role) }
}

/// Returns the claim of a name. A name with dots is looked up as it is, then part by part.
fn find<'a>(claims: &'a Value, name: &str) -> Option<&'a Value> {
    claims.get(name).or_else(|| name.split('.').try_fold(claims, |value, part| value.get(part)))
}

fn texts(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        Some(_) | None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::oidc::OidcSettingsInput;
    use serde_json::json;

    #[test]
    fn the_first_row_that_fits_gives_the_role_and_nothing_else_does() {
        let of = |claim: &str, claims: Value| {
            let input = OidcSettingsInput {
                issuer: "https://a".into(),
                client_id: "b".into(),
                address: "https://c".into(),
                name_claim: "preferred_username".into(),
                roles_claim: claim.into(),
                roles: vec!["plc-admins=admin".into(), "plc=engineer".into()],
                ..OidcSettingsInput::default()
            };
            person(&OidcSettings::new(input).unwrap(), "1".into(), &claims).role
        };
        assert_eq!(of("groups", json!({ "groups": ["x", "plc", "plc-admins"] })), Some(Role::Admin));
        assert_eq!(of("groups", json!({ "groups": "plc" })), Some(Role::Engineer));
        assert_eq!(of("realm_access.roles", json!({ "realm_access": { "roles": ["plc"] } })), Some(Role::Engineer));
        assert_eq!(of("https://plant.example/roles", json!({ "https://plant.example/roles": ["plc"] })), Some(Role::Engineer));
        for nothing in [
            json!({}),
            json!({ "groups": null }),
            json!({ "groups": [] }),
            json!({ "groups": ["PLC", "plc ", "admin", "plc,plc-admins"] }),
            json!({ "groups": { "plc": true } }),
            json!({ "groups": [["plc"]] }),
            json!({ "roles": ["plc"] }),
        ] {
            assert_eq!(of("groups", nothing.clone()), None, "{nothing}");
        }
    }
}
