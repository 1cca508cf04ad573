package io.viaduct.webgui.operator;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Page.EmulateMediaOptions;
import com.microsoft.playwright.Page.ScreenshotOptions;
import com.microsoft.playwright.options.BoundingBox;
import com.microsoft.playwright.options.ColorScheme;
import io.viaduct.webgui.Axe;
import io.viaduct.webgui.Chromium;
import io.viaduct.webgui.OperatorPeer;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Scenery;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The operators' pages in a real Chromium: the curve editor by mouse and by keys, and each page in
/// three widths, light and dark.
class OperatorBrowserLabIT {
  private static final Path SCREENSHOTS = Path.of("target/screenshots");
  private static final String TABLE = "/classes/LT_LD/throughput-marginal";
  private static final String EDITOR = "/tariffs/drafts/5";

  private static Chromium chromium;
  private final List<String> complaints = new ArrayList<>();
  private PeerServer peer;
  private OperatorPeer work;
  private BrowserContext context;
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
    context = chromium.browser().newContext();
    context.setDefaultTimeout(Chromium.PATIENCE_MS);
    page = context.newPage();
    page.onConsoleMessage(message -> {
      if (message.type().equals("error")) {
        complaints.add(message.text());
      }
    });
    page.onPageError(complaints::add);
    go("/login");
    page.getByTestId("login-user").fill("olga");
    page.getByTestId("login-password").fill("operates");
    page.getByTestId("login-submit").click();
    assertThat(page.getByTestId("visitor")).hasText("olga");
  }

  @AfterEach
  void closeBrowser() {
    context.close();
  }

  private void go(String path) {
    page.navigate(RunningWebgui.pages() + path);
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
    go(EDITOR);
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
    assertThat(complaints).isEmpty();
  }

  @Test
  void aKnotIsMovedAddedAndTakenAwayByKeys() {
    work.begin("5", "summer");
    go(EDITOR);
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
    assertThat(complaints).isEmpty();
  }

  @Test
  void whatBillingRefusesIsMarkedAtItsKnotAndShownOnDemand() {
    work.begin("5", "summer");
    go(EDITOR);
    work.refusal =
        Map.of(
            "status", 422,
            "detail", "classes.LT_LD.throughput-marginal: knot 3 (2.0) must not exceed 0.5",
            "rule", "NON_INCREASING",
            "place", "classes.LT_LD.throughput-marginal",
            "knot", 3);
    page.locator("[name='t" + TABLE + "/3/1']").fill("0.9");
    awaitChecked(false);
    assertThat(page.getByTestId("check")).containsText("must not exceed 0.5");
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
    go(EDITOR);
    work.version++;
    page.locator("[name='t/classes/LT_LD/weight']").fill("0.9");
    assertThat(page.getByTestId("check")).containsText("Somebody else has changed it");
    assertThat(work.drafts.get("5").at("/tariff/classes/LT_LD/weight").asDouble()).isEqualTo(0.4);
  }

  @Test
  void anAbsentBillingIsNotedAndTheChangeIsSavedWhenItIsBack() {
    work.begin("5", "summer");
    go(EDITOR);
    peer.billing = PeerServer.Mood.FAILING;
    page.locator("[name='t/classes/LT_LD/weight']").fill("0.9");
    assertThat(page.getByTestId("check")).containsText("Not saved");
    peer.billing = PeerServer.Mood.WELL;
    await().until(() -> work.drafts.get("5").at("/tariff/classes/LT_LD/weight").asDouble() == 0.9);
    awaitChecked(true);
  }

  @Test
  void pagesOfOperatorsFitTheirWindow() {
    Scenery.arrange(peer);
    go("/operator");
    shoot("operator-home");
    go("/registrations");
    shoot("operator-registrations");
    go("/ledger");
    shoot("operator-ledger");
    go("/accounts");
    shoot("operator-accounts");
    go("/accounts/alice/credit");
    shoot("operator-credit");
    go("/credit");
    shoot("operator-credit-overview");
    go("/tariffs");
    shoot("operator-tariffs");
    go("/tariffs/2");
    shoot("operator-tariff");
    go("/tariffs/diff?to=2");
    shoot("operator-tariff-diff");
    go("/tariffs/1/rollback");
    shoot("operator-rollback");
    go(EDITOR);
    assertThat(knot(1)).isVisible();
    shoot("operator-editor");
    go(EDITOR + "/publish");
    shoot("operator-publish");
    go(EDITOR);
    page.getByTestId("draft-simulate").click();
    assertThat(page.getByTestId("trial-after")).isVisible();
    shoot("operator-trial");
    assertThat(complaints).isEmpty();
  }

  private void shoot(String what) {
    for (int width : new int[] {320, 768, 1440}) {
      page.setViewportSize(width, 900);
      page.waitForFunction( // charts follow the width with the next frame
          "width => document.documentElement.scrollWidth <= width", width);
      assertThat(page.evaluate("document.documentElement.scrollWidth"))
          .as("%s at %d px must not scroll sideways", what, width)
          .isEqualTo(width);
      for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
        page.emulateMedia(new EmulateMediaOptions().setColorScheme(scheme));
        assertThat(Axe.violations(page)).as("%s, %s, %d px", what, scheme, width).isEmpty();
        String name = "%s-%d-%s.png".formatted(what, width, scheme).toLowerCase(Locale.ROOT);
        page.screenshot(
            new ScreenshotOptions().setPath(SCREENSHOTS.resolve(name)).setFullPage(true));
      }
    }
  }
}
