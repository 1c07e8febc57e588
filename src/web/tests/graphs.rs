//! Graphs, models and certificates of a result in the REST API.

use super::site::Site;

#[tokio::test]
async fn graphs_of_a_result_come_in_every_form() {
    let (site, job) = Site::finished().await;
    let check = async |name: &str, status: u16, kind: &str| {
        let answer = site.get(&format!("/api/v1/jobs/{job}/results/R2/graphs/{name}")).await;
        answer.is(status);
        assert!(answer.header("content-type").starts_with(kind), "{name}: {}", answer.header("content-type"));
    };
    check("arg.svg", 200, "image/svg+xml").await;
    check("arg-2.dot", 200, "text/vnd.graphviz").await;
    check("cfa.json", 200, "application/json").await;
    for missing in ["arg-1.svg", "arg-2.png", "arg", "cfa.svg.svg", "none.svg"] {
        check(missing, 404, "application/problem+json").await;
    }
    let none = site.get(&format!("/api/v1/jobs/{job}/results/R1/graphs/arg.svg")).await;
    none.is(404);
    let unsaid = site.get(&format!("/api/v1/jobs/{job}/results/R1/model")).await.is(422).json();
    assert!(unsaid["detail"].as_str().unwrap().contains("`?format=btor2`"), "{unsaid}");
    let unknown = site.get(&format!("/api/v1/jobs/{job}/results/R1/model?format=vhdl")).await;
    unknown.is(422).has(&["there is no format `vhdl`"]);
    // These answers were stored without one.
    for requirement in ["R1", "R9"] {
        let none = site.get(&format!("/api/v1/jobs/{job}/results/{requirement}/certificate")).await;
        none.is(404);
        assert!(none.header("content-type").starts_with("application/problem+json"), "{requirement}");
    }
}
