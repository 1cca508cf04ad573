package io.viaduct.webgui.tariff;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.OperatorPeer;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class TariffPagesTest {
  private static final String EDITOR = "/tariffs/drafts/5";
  private static final Map<String, Object> REFUSAL =
      Map.of(
          "status", 422,
          "detail", "classes.LT_LD.throughput-marginal: knot 3 (2.0) must not exceed 0.5",
          "rule", "NON_INCREASING",
          "place", "classes.LT_LD.throughput-marginal",
          "knot", 3);

  private PeerServer billing;
  private OperatorPeer peer;
  private Visitor olga;

  @BeforeEach
  void freshPeer() {
    billing = RunningWebgui.freshPeer();
    peer = billing.work;
    olga = Visitor.operator();
  }

  private Map<String, String> form(String page) {
    Map<String, String> form = new HashMap<>();
    String body = olga.get(page).body();
    form.put("_csrf", Visitor.hidden(body, "_csrf"));
    if (body.contains("name=\"tag\"")) {
      form.put("tag", Visitor.hidden(body, "tag").replace("&quot;", "\""));
    }
    if (body.contains("name=\"draftTag\"")) {
      form.put("draftTag", Visitor.hidden(body, "draftTag").replace("&quot;", "\""));
    }
    form.put("name", "summer");
    return form;
  }

  private String follow(HttpResponse<String> answer, String to) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(302);
    assertThat(Visitor.location(answer)).isEqualTo(to);
    return olga.get(to).body();
  }

  @Test
  void versionsAreListedWithTheirValidityAndOneIsShownWithItsCurves() {
    String list = olga.get("/tariffs").body();
    assertThat(list)
        .contains("data-version=\"1\"", "data-version=\"2\"", "in force", "the beginning")
        .contains("href=\"/tariffs/1/rollback\"")
        .doesNotContain("href=\"/tariffs/2/rollback\"");
    String page = olga.get("/tariffs/2").body();
    assertThat(page)
        .contains("data-class=\"HT_LD\"", "data-at=\"16\"", "data-value=\"1.6\"")
        .contains("what the path offered", "skype-video");
    assertThat(olga.get("/tariffs/9").statusCode()).isEqualTo(404);
  }

  @Test
  void theDiffNamesPlaceAndKnotAsPeopleCount() {
    Map<String, Object> moved = new LinkedHashMap<>();
    moved.put("place", "classes.LT_LD.throughput-marginal");
    moved.put("knot", 2);
    moved.put("before", "[1.0,0.5]");
    moved.put("after", null);
    peer.differences.add(moved);
    String page = olga.get("/tariffs/diff?to=2").body();
    assertThat(Visitor.text(page, "change-row"))
        .isEqualTo("classes.LT_LD.throughput-marginal 3 [1.0,0.5] not there");
    assertThat(peer.asked).anyMatch(one -> one.startsWith("POST tariffs/diff"));
  }

  @Test
  void aDraftIsBegunEditedWithoutJavaScriptAndDeleted() {
    Map<String, String> begin = form("/tariffs");
    begin.put("basedOn", "2");
    String page = follow(olga.post("/tariffs/drafts", begin), EDITOR);
    assertThat(page).contains("t/classes/LT_LD/throughput-marginal/3/1", "summer");
    Map<String, String> edited = form(EDITOR);
    edited.put("name", "autumn");
    edited.put("t/classes/LT_LD/weight", "0.75");
    String saved = follow(olga.post(EDITOR, edited), EDITOR);
    assertThat(saved).contains("data-testid=\"done\"", "autumn", "value=\"0.75\"");
    assertThat(peer.drafts.get("5").at("/tariff/classes/LT_LD/weight").asDouble()).isEqualTo(0.75);
    follow(olga.post(EDITOR + "/delete", form(EDITOR)), "/tariffs");
    assertThat(peer.drafts).isEmpty();
  }

  @Test
  void theEditorMarksTheKnotThatBillingRefuses() {
    peer.begin("5", "summer");
    peer.refusal = REFUSAL;
    String page = olga.get(EDITOR).body();
    assertThat(Visitor.text(page, "check"))
        .contains(
            "classes.LT_LD.throughput-marginal, knot 4: The values must not rise from row to row.")
        .doesNotContain("must not exceed");
    assertThat(Visitor.text(olga.get(EDITOR, "Accept-Language", "it").body(), "check"))
        .contains("nodo 4: I valori non devono crescere di riga in riga.");
    assertThat(page)
        .containsPattern(
            "<input[^>]*name=\"t/classes/LT_LD/throughput-marginal/3/1\"[^>]*aria-invalid=\"true\"");
    assertThat(page.split("aria-invalid=\"true\"", -1)).hasSize(3);
  }

  private JsonNode check(Map<String, String> form) {
    return JsonMapper.shared()
        .readTree(olga.post(EDITOR + "/check", form, "Accept", "application/json").body());
  }

  @Test
  void theScriptsCheckSavesTheDraftAndNamesPlaceAndKnot() {
    peer.begin("5", "summer");
    Map<String, String> edited = form(EDITOR);
    edited.put("t/classes/LT_LD/weight", "0.8");
    JsonNode good = check(edited);
    assertThat(good.get("valid").asBoolean()).isTrue();
    assertThat(good.get("tag").asString()).isEqualTo("\"8\"");
    peer.refusal = REFUSAL;
    edited.put("tag", good.get("tag").asString());
    edited.put("t/classes/LT_LD/weight", "0.9");
    JsonNode bad = check(edited);
    assertThat(bad.get("valid").asBoolean()).isFalse();
    assertThat(bad.get("place").asString()).isEqualTo("classes.LT_LD.throughput-marginal");
    assertThat(bad.get("knot").asInt()).isEqualTo(3);
    assertThat(bad.get("detail").asString()).endsWith("The values must not rise from row to row.");
    assertThat(bad.get("english").asBoolean()).isFalse();
    assertThat(peer.drafts.get("5").at("/tariff/classes/LT_LD/weight").asDouble()).isEqualTo(0.9);
    HttpResponse<String> old = olga.post(EDITOR + "/check", edited, "Accept", "application/json");
    assertThat(old.statusCode()).isEqualTo(412);
    assertThat(peer.drafts.get("5").at("/tariff/classes/LT_LD/weight").asDouble()).isEqualTo(0.9);
  }

  @Test
  void aChangeInAnotherWindowIsNotOverwritten() {
    peer.begin("5", "summer");
    Map<String, String> first = form(EDITOR);
    Map<String, String> second = form(EDITOR);
    first.put("t/classes/LT_LD/weight", "0.8");
    follow(olga.post(EDITOR, first), EDITOR);
    second.put("t/classes/LT_LD/weight", "0.2");
    String page = follow(olga.post(EDITOR, second), EDITOR);
    assertThat(page).contains("data-problem=\"outcome.changed\"", "value=\"0.8\"");
  }

  @Test
  void aSimulationSavesTheDraftAndShowsTheSumsAndItsBounds() {
    peer.begin("5", "summer");
    Map<String, String> edited = form(EDITOR);
    edited.put("t/classes/LT_LD/weight", "0.8");
    String page = olga.post(EDITOR + "/simulate", edited).body();
    assertThat(Visitor.text(page, "trial-before")).isEqualTo("41.3 den");
    assertThat(Visitor.text(page, "trial-after")).startsWith("38.8 den");
    assertThat(page).contains("video-call").doesNotContain("trial-bounded");
    assertThat(peer.drafts.get("5").at("/tariff/classes/LT_LD/weight").asDouble()).isEqualTo(0.8);
    peer.trialIsComplete = false;
    assertThat(olga.post(EDITOR + "/simulate", form(EDITOR)).body())
        .contains("trial-bounded", "200\u202f000 charges");
    peer.refusal = REFUSAL;
    assertThat(follow(olga.post(EDITOR + "/simulate", form(EDITOR)), EDITOR))
        .contains("data-problem=\"outcome.refused\"");
  }

  @Test
  void aDraftIsPublishedFromATimeAndOnlyOnce() {
    peer.begin("5", "summer");
    String asked = follow(olga.post(EDITOR + "/publish", form(EDITOR)), EDITOR + "/publish");
    assertThat(asked).contains("changes-empty", "valid-from").doesNotContain("scheduled");
    Map<String, String> from = form(EDITOR + "/publish");
    from.put("validFrom", "2031-01-01T00:00");
    Map<String, String> again = new HashMap<>(from);
    String list = follow(olga.post(EDITOR + "/published", from), "/tariffs");
    assertThat(list).contains("data-version=\"3\"", "data-testid=\"done\"", "drafts-empty");
    assertThat(peer.changes).singleElement().asString().contains("2031-01-01T00:00:00Z");
    assertThat(olga.post(EDITOR + "/published", again).statusCode()).isEqualTo(404);
    assertThat(peer.changes).hasSize(1);
  }

  @Test
  void anApplicationIsAddedWithoutJavaScriptAndNeverReplacesAnother() {
    peer.begin("5", "summer");
    Map<String, String> edited = form(EDITOR);
    edited.put("application", "web-conference");
    edited.put("application/service-class", "HT_LD");
    edited.put("t/classes/LT_LD/weight", "0.8");
    assertThat(follow(olga.post(EDITOR, edited), EDITOR))
        .contains("name=\"t/applications/web-conference/service-class\"");
    Map<String, String> again = form(EDITOR);
    again.put("application", "web-conference");
    again.put("application/service-class", "LT_LD");
    again.put("t/classes/LT_LD/weight", "0.7");
    assertThat(follow(olga.post(EDITOR, again), EDITOR)).contains("has this one already");
    JsonNode stored = peer.drafts.get("5").get("tariff");
    assertThat(stored.at("/applications/web-conference/service-class").asString())
        .isEqualTo("HT_LD");
    assertThat(stored.at("/classes/LT_LD/weight").asDouble()).isEqualTo(0.7);
  }

  @Test
  void aDraftThatWasChangedSinceItsOperatorSawItIsNotPublished() {
    peer.begin("5", "summer");
    Map<String, String> seen = form(EDITOR + "/publish");
    Map<String, String> elsewhere = form(EDITOR);
    elsewhere.put("t/classes/LT_LD/weight", "0.8");
    follow(olga.post(EDITOR, elsewhere), EDITOR);
    assertThat(follow(olga.post(EDITOR + "/published", seen), EDITOR + "/publish"))
        .contains("data-problem=\"outcome.changed\"");
    assertThat(peer.changes).isEmpty();
    follow(olga.post(EDITOR + "/published", form(EDITOR + "/publish")), "/tariffs");
    assertThat(peer.changes).singleElement().asString().contains("\"weight\":0.8");
  }

  @Test
  void aDraftThatIsLeftAfterItsPublicationIsTold() {
    peer.begin("5", "summer");
    peer.isFailingToDelete = true;
    assertThat(follow(olga.post(EDITOR + "/published", form(EDITOR + "/publish")), "/tariffs"))
        .contains("data-version=\"3\"", "data-testid=\"done\"")
        .contains("data-problem=\"tariff.problem.draftleft\"", "data-testid=\"draft-row\"");
  }

  @Test
  void theAddressOfATrialLeadsToTheEditorAndADraftThatCannotBeBegunIsTold() {
    peer.begin("5", "summer");
    follow(olga.get(EDITOR + "/simulate"), EDITOR);
    Map<String, String> wanted = form("/tariffs");
    wanted.put("basedOn", "2");
    billing.billing = PeerServer.Mood.FAILING;
    HttpResponse<String> answer = olga.post("/tariffs/drafts", wanted);
    billing.billing = PeerServer.Mood.WELL;
    assertThat(follow(answer, "/tariffs")).contains("data-problem=\"outcome.away\"");
  }

  @Test
  void aTimeThatIsNoneIsRefusedAndNotTakenForNow() {
    peer.begin("5", "summer");
    Map<String, String> from = form(EDITOR + "/publish");
    from.put("validFrom", "tomorrow");
    assertThat(follow(olga.post(EDITOR + "/published", from), EDITOR + "/publish"))
        .contains("data-problem=\"outcome.time\"");
    assertThat(peer.changes).isEmpty();
  }

  @Test
  void anOlderVersionIsPublishedAgainUnlessSomebodyPublishedMeanwhile() {
    Map<String, String> back = form("/tariffs/1/rollback");
    Map<String, String> late = new HashMap<>(back);
    follow(olga.post("/tariffs/1/rollback", back), "/tariffs");
    assertThat(peer.changes).singleElement().asString().contains("\"tariff\":{");
    peer.version++;
    assertThat(follow(olga.post("/tariffs/1/rollback", late), "/tariffs/1/rollback"))
        .contains("data-problem=\"outcome.changed\"", "data-testid=\"scheduled\"");
  }

  @Test
  void usersSeeNoPageOfTariffsAndNoCredit() {
    Visitor alice = Visitor.alice();
    peer.begin("5", "summer");
    for (String path :
        new String[] {
          "/tariffs", "/tariffs/1", EDITOR, "/credit", "/accounts/alice/credit", "/accounts"
        }) {
      assertThat(alice.get(path).statusCode()).as(path).isEqualTo(403);
    }
  }
}
