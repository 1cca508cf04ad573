package io.viaduct.webgui.operator;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route.FulfillOptions;
import com.microsoft.playwright.options.BoundingBox;
import io.viaduct.webgui.Chromium;
import io.viaduct.webgui.OperatorPeer;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Scenery;
import io.viaduct.webgui.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/// The curve editor of operators in a real Chromium, by mouse and by keys, and its pictures in
/// three widths, light and dark.
class OperatorBrowserLabIT {
  private static final String TABLE = "/classes/LT_LD/throughput-marginal";
  private static final String EDITOR = "/tariffs/drafts/5";

  private static Chromium chromium;
  private PeerServer peer;
  private OperatorPeer work;
  private Window window;
  private Page page;

  @BeforeAll
  static void startChromium() {
    chromium = new Chromium();
  }

  @AfterAll
  static void stopChromium() {
    if (chromium != null) {
      chromium.close();
    }
  }

  @BeforeEach
  void logIn() {
    peer = RunningWebgui.freshPeer();
    work = peer.work;
    window = chromium.open();
    page = window.page();
    window.logIn("olga", "operates");
  }

  @AfterEach
  void closeBrowser() {
    window.close();
  }

  private Locator curve() {
    return page.locator("[data-curve='LT_LD-throughput-marginal']");
  }

  private Locator knot(int number) {
    return curve().locator(".knot").nth(number - 1);
  }

  private double stored(int knot, int column) {
    return work.drafts.get("5").at("/tariff" + TABLE).path(knot - 1).path(column).asDouble();
  }

  private String typed(int knot, int column) {
    return page.locator("[name='t" + TABLE + "/" + (knot - 1) + "/" + column + "']").inputValue();
  }

  private void awaitChecked(boolean isValid) {
    assertThat(page.getByTestId("check")).hasAttribute("data-valid", Boolean.toString(isValid));
    assertThat(page.getByTestId("check").locator("p")).not().hasClass("hint");
  }

  @Test
  void aKnotIsDraggedByTheMouseSavedAndShownInItsFields() {
    work.begin("5", "summer");
    window.go(EDITOR);
    curve().evaluate("curve => curve.scrollIntoView({block: 'center'})");
    BoundingBox box = knot(3).boundingBox();
    double x = box.x + box.width / 2;
    double y = box.y + box.height / 2;
    page.mouse().move(x, y);
    page.mouse().down();
    page.mouse().move(x + 12, y - 20);
    page.mouse().move(x + 25, y - 40);
    page.mouse().up();
    await().until(() -> stored(3, 0) > 1.0 && stored(3, 1) > 0.5);
    awaitChecked(true);
    assertThat(Double.parseDouble(typed(3, 0))).isEqualTo(stored(3, 0));
    assertThat(Double.parseDouble(typed(3, 1))).isEqualTo(stored(3, 1));
    BoundingBox moved = knot(3).boundingBox();
    assertThat(moved.x + moved.width / 2).isGreaterThan(x + 5);
    assertThat(knot(3)).hasAttribute("aria-valuenow", typed(3, 1));
    page.reload();
    assertThat(Double.parseDouble(typed(3, 1))).isEqualTo(stored(3, 1));
    assertThat(window.complaints()).isEmpty();
  }

  @Test
  void aKnotIsMovedAddedAndTakenAwayByKeys() {
    work.begin("5", "summer");
    window.go(EDITOR);
    double before = stored(3, 1);
    knot(3).focus();
    page.keyboard().press("ArrowUp");
    page.keyboard().press("Shift+ArrowUp");
    await().until(() -> stored(3, 1) > before);
    assertThat(stored(3, 0)).isEqualTo(1.0);
    page.keyboard().press("ArrowRight");
    await().until(() -> stored(3, 0) > 1.0);
    int knots = curve().locator(".knot").count();
    page.keyboard().press("Insert");
    assertThat(curve().locator(".knot")).hasCount(knots + 1);
    await().until(() -> work.drafts.get("5").at("/tariff" + TABLE).size() == knots + 1);
    assertThat(stored(4, 0)).isBetween(stored(3, 0), stored(5, 0));
    knot(4).focus();
    page.keyboard().press("Delete");
    assertThat(curve().locator(".knot")).hasCount(knots);
    await().until(() -> work.drafts.get("5").at("/tariff" + TABLE).size() == knots);
    assertThat(window.complaints()).isEmpty();
  }

  @Test
  void whatNobodyMovedKeepsItsDigitsAndANewKnotLiesOnTheLine() {
    work.begin("5", "summer");
    window.go(EDITOR);
    page.locator("[name='t" + TABLE + "/2/1']").fill("0.5078125");
    await().until(() -> stored(3, 1) == 0.5078125);
    double at = stored(3, 0);
    knot(3).focus();
    page.keyboard().press("ArrowRight");
    await().until(() -> stored(3, 0) > at);
    assertThat(stored(3, 1)).isEqualTo(0.5078125);
    double next = stored(4, 1);
    page.keyboard().press("Insert");
    await().until(() -> stored(4, 1) != next);
    assertThat(stored(4, 1)).isEqualTo((0.5078125 + stored(5, 1)) / 2);
    assertThat(stored(4, 0)).isEqualTo((stored(3, 0) + stored(5, 0)) / 2);
  }

  @Test
  void whatBillingRefusesIsMarkedAtItsKnotAndShownOnDemand() {
    work.begin("5", "summer");
    window.go(EDITOR);
    work.refusal =
        Map.of(
            "status", 422,
            "detail",
                "classes.LT_LD.throughput-marginal: knot 3 (2.0) The values must not rise from row to row",
            "rule", "NON_INCREASING",
            "place", "classes.LT_LD.throughput-marginal",
            "knot", 3);
    page.locator("[name='t" + TABLE + "/3/1']").fill("0.9");
    awaitChecked(false);
    assertThat(page.getByTestId("check")).containsText("The values must not rise from row to row");
    assertThat(knot(4)).hasClass("knot bad");
    assertThat(page.locator("[aria-invalid=true]")).hasCount(2);
    page.getByText("Show it").click();
    assertThat(page.locator("[name='t" + TABLE + "/3/1']")).isFocused();
    assertThat(stored(4, 1)).isEqualTo(0.9);
    work.refusal = null;
    page.locator("[name='t" + TABLE + "/3/1']").fill("0.2");
    awaitChecked(true);
    assertThat(page.locator("[aria-invalid=true]")).hasCount(0);
  }

  @Test
  void aWindowThatComesTooLateSaysSoAndSavesNothing() {
    work.begin("5", "summer");
    window.go(EDITOR);
    work.draftVersion++;
    page.locator("[name='t/classes/LT_LD/weight']").fill("0.9");
    assertThat(page.getByTestId("check")).containsText("Somebody else has changed it");
    assertThat(work.drafts.get("5").at("/tariff/classes/LT_LD/weight").asDouble()).isEqualTo(0.4);
  }

  @Test
  void aSubmitDuringACheckWaitsForItAndCarriesTheNewTag() {
    work.begin("5", "summer");
    window.go(EDITOR);
    List<Runnable> answers = new ArrayList<>();
    page.route(
        "**/check",
        route -> {
          APIResponse answer = route.fetch();
          answers.add(() -> route.fulfill(new FulfillOptions().setResponse(answer)));
        });
    page.locator("[name='t/classes/LT_LD/weight']").fill("0.9");
    page.waitForCondition(() -> !answers.isEmpty());
    page.getByTestId("draft-save").click();
    page.getByTestId("draft-save").click();
    answers.removeFirst().run();
    assertThat(page.getByTestId("done")).isVisible();
    assertThat(page.getByTestId("problem")).hasCount(0);
    assertThat(stored("/classes/LT_LD/weight")).isEqualTo(0.9);
    assertThat(answers).isEmpty();
  }

  @Test
  void aDraftThatIsGoneIsToldInTheEditor() {
    work.begin("5", "summer");
    window.go(EDITOR);
    work.drafts.clear();
    page.locator("[name='t/classes/LT_LD/weight']").fill("0.9");
    assertThat(page.getByTestId("check")).containsText("does not exist any more");
  }

  @Test
  void aWindowWhoseLogInHasEndedElsewhereIsToldThatItCannotSave() {
    work.begin("5", "summer");
    window.go(EDITOR);
    page.locator("[data-tariff-editor] [name=_csrf]").evaluate("field => { field.value = 'old'; }");
    page.locator("[name='t/classes/LT_LD/weight']").fill("0.9");
    assertThat(page.getByTestId("check")).containsText("no longer take changes");
    assertThat(stored("/classes/LT_LD/weight")).isEqualTo(0.4);
  }

  @Test
  void anApplicationIsAddedToAClassAndAnotherTakenAwayWithBillingsCheck() {
    work.begin("5", "summer");
    window.go(EDITOR);
    page.locator("[data-applications] > summary").click();
    page.getByTestId("application-name").fill("web-conference");
    page.locator("[name='application/service-class']").selectOption("HT_LD");
    page.getByTestId("application-add").click();
    await()
        .until(
            () -> application("web-conference").path("service-class").asString("").equals("HT_LD"));
    awaitChecked(true);
    assertThat(page.getByTestId("application-name")).hasValue("");
    page.locator("[name='t/applications/web-conference/reference-delay']").fill("150");
    await().until(() -> application("web-conference").path("reference-delay").asInt(0) == 150);
    page.locator("[name='without/ssh']").check();
    await().until(() -> application("ssh").isMissingNode());
    page.locator("[name='without/ssh']").uncheck();
    await().until(() -> application("ssh").path("service-class").asString("").equals("LT_LD"));
    page.getByTestId("application-name").fill("ssh");
    page.getByTestId("application-add").click();
    assertThat(page.locator("[name='t/applications/ssh/service-class']")).isFocused();
    page.getByTestId("application-name").fill("");
    page.locator("[name='without/ssh']").check();
    page.getByTestId("draft-save").click();
    assertThat(page.getByTestId("done")).isVisible();
    assertThat(page.locator("[name='t/applications/ssh/service-class']")).hasCount(0);
    assertThat(page.locator("[name='t/applications/web-conference/service-class']"))
        .hasValue("HT_LD");
    assertThat(window.complaints()).isEmpty();
  }

  private JsonNode application(String name) {
    return work.drafts.get("5").at("/tariff/applications/" + name);
  }

  private double stored(String place) {
    return work.drafts.get("5").at("/tariff" + place).asDouble();
  }

  @Test
  void anAbsentBillingIsNotedAndTheChangeIsSavedWhenItIsBack() {
    work.begin("5", "summer");
    window.go(EDITOR);
    peer.billing = PeerServer.Mood.FAILING;
    page.locator("[name='t/classes/LT_LD/weight']").fill("0.9");
    assertThat(page.getByTestId("check")).containsText("Not saved");
    peer.billing = PeerServer.Mood.WELL;
    await().until(() -> work.drafts.get("5").at("/tariff/classes/LT_LD/weight").asDouble() == 0.9);
    awaitChecked(true);
  }

  @Test
  @Timeout(600)
  void editorAndTrialFitTheirWindow() {
    Scenery.arrange(peer);
    window.go(EDITOR);
    assertThat(knot(1)).isVisible();
    window.shoot("operator-editor");
    page.getByTestId("draft-simulate").click();
    assertThat(page.getByTestId("trial-after")).isVisible();
    window.shoot("operator-trial");
    assertThat(window.complaints()).isEmpty();
  }
}
