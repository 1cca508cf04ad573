package io.viaduct.webgui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Page.EmulateMediaOptions;
import com.microsoft.playwright.Page.ScreenshotOptions;
import com.microsoft.playwright.options.ColorScheme;
import io.viaduct.webgui.PeerServer.Mood;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The pages in a real Chromium: what only a browser can show. Screenshots of every page go to
/// `target/screenshots`, for people to look at.
class WebguiBrowserLabIT {
  private static final Path SCREENSHOTS = Path.of("target/screenshots");

  /// Elements that make a page scroll sideways; none that scroll by themselves.
  private static final String TOO_WIDE =
      """
      () => document.documentElement.scrollWidth <= innerWidth ? []
        : [...document.querySelectorAll('body *')]
          .filter((part) => part.getBoundingClientRect().right > innerWidth + 1 && !part.closest('.scroll'))
          .map((part) => part.tagName + ' ' + part.className + ' ' + part.textContent.trim().slice(0, 60))
      """;

  private static Chromium chromium;
  private final List<String> complaints = new ArrayList<>();
  private PeerServer peer;
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
  void openBrowser() {
    peer = RunningWebgui.freshPeer();
    openWindow();
  }

  @AfterEach
  void closeBrowser() {
    context.close();
  }

  @Test
  void userLogsInAndSeesBalanceChargeAndALiveUpdateWithoutReload() {
    peer.charges.add(PeerServer.charge("c1", "alice"));
    logIn("alice", "wonder land");
    assertThat(page.getByTestId("balance")).hasAttribute("data-microdenarii", "12345678");
    assertThat(page.getByTestId("charge-row")).hasCount(1);
    assertThat(page.getByTestId("live-state")).hasText("Live");
    page.evaluate("window.sameDocument = true");

    peer.book(PeerServer.charge("c2", "alice"));

    assertThat(page.getByTestId("charge-row")).hasCount(2);
    assertThat(page.getByTestId("balance")).hasAttribute("data-microdenarii", "-399601");
    assertThat(page.evaluate("window.sameDocument")).isEqualTo(true);
    page.locator("[data-charge-id=c2] a").click();
    assertThat(page.getByTestId("charge-reason")).containsText("at 340\u00a0kbit/s");
    assertThat(page.getByTestId("recomputed")).hasAttribute("data-recomputed", "same");
    assertThat(complaints).isEmpty();
  }

  @Test
  void livePageReconnectsAfterBillingWasAwayAndCatchesUp() {
    logIn("alice", "wonder land");
    assertThat(page.getByTestId("live-state")).hasText("Live");
    peer.billing = Mood.FAILING;
    peer.endStreams();
    assertThat(page.getByTestId("live-state")).hasText("Reconnecting");
    peer.balances.put("alice", 777L);
    peer.billing = Mood.WELL;
    assertThat(page.getByTestId("live-state")).hasText("Live");
    assertThat(page.getByTestId("balance")).hasAttribute("data-microdenarii", "777");
  }

  @Test
  void logoutInOneTabSendsTheOtherToTheLogin() {
    logIn("alice", "wonder land");
    assertThat(page.getByTestId("live-state")).hasText("Live");
    Page other = context.newPage();
    other.navigate(RunningWebgui.pages().toString());
    other.getByTestId("logout").click();
    page.waitForURL("**/login?problem=ended");
  }

  @Test
  void operatorTopsUpAndWatchesTheSnapts() {
    peer.snapts.add(PeerServer.snapt("snapt-1", 12));
    logIn("olga", "operates");
    go("/accounts");
    page.locator("[data-account-id=alice] th a").click();
    page.getByTestId("topup-amount").fill("5.5");
    page.getByTestId("topup-reference").fill("invoice 7");
    page.getByTestId("topup-submit").click();
    assertThat(page.getByTestId("topup-done")).containsText("5.500000");
    assertThat(page.getByTestId("balance")).hasAttribute("data-microdenarii", "17845678");

    page.getByText("SNAPTs").first().click();
    assertThat(page.getByTestId("snapt-sessions")).containsText("12");
    peer.snapts.set(0, PeerServer.snapt("snapt-1", 13));
    assertThat(page.getByTestId("snapt-sessions")).containsText("13");
    peer.bridge = Mood.FAILING;
    assertThat(page.getByTestId("snapts-away")).isVisible();
    peer.bridge = Mood.WELL;
    assertThat(page.getByTestId("snapt-sessions")).containsText("13");
  }

  @Test
  void pageOfAnAbsentBillingComesBackByItself() {
    logIn("alice", "wonder land");
    peer.billing = Mood.FAILING;
    page.reload();
    assertThat(page.getByTestId("away")).isVisible();
    peer.billing = Mood.WELL;
    assertThat(page.getByTestId("balance")).isVisible();
  }

  @Test
  void keyboardAloneReachesTheContentAndLogsIn() {
    page.navigate(RunningWebgui.pages() + "/login");
    assertThat(page.getByTestId("login-user")).isFocused();
    page.keyboard().type("alice");
    page.keyboard().press("Tab");
    page.keyboard().type("wonder land");
    page.keyboard().press("Enter");
    assertThat(page.getByTestId("balance")).isVisible();
    page.keyboard().press("Tab");
    assertThat(page.locator(".skip")).isFocused();
    page.keyboard().press("Enter");
    assertThat(page.locator("#main")).isFocused();
  }

  @Test
  void pagesFitTheirWindow() {
    Scenery.arrange(peer);
    go("/login?problem=wrong");
    shoot("login");
    logIn("alice", "wonder land");
    assertThat(page.getByTestId("live-state")).hasText("Live");
    shoot("home");
    go("/accounts/alice/charges");
    shoot("charges");
    go("/charges/c1");
    shoot("charge");
    go("/accounts/alice/savings?month=2026-11");
    shoot("savings");
    go("/accounts/alice/usage?by=day,class");
    shoot("usage");
    go("/accounts/alice/top-ups");
    shoot("topups");
    go("/accounts/alice/credits");
    shoot("credits");
    go("/accounts/alice/user");
    shoot("user");
    go("/accounts/bob");
    shoot("error");
    page.getByTestId("logout").click();
    logIn("olga", "operates");
    go("/accounts");
    shoot("accounts");
    go("/accounts/alice");
    page.getByTestId("topup-amount").fill("five");
    page.getByTestId("topup-reference").fill("invoice 7");
    page.getByTestId("topup-submit").click();
    assertThat(page.getByTestId("live-state")).hasText("Live");
    shoot("topup");
    go("/accounts/alice/user");
    shoot("user-operator");
    go("/charges/c1");
    shoot("refund");
    go("/snapts");
    shoot("snapts");
    go("/reports");
    shoot("reports");
    go("/reports/held/7/release");
    shoot("report-decision");
    peer.billing = Mood.FAILING;
    go("/accounts/alice");
    shoot("away");
  }

  @Test
  void pagesOfAUserFitASmallWindowInEachLanguage() {
    Scenery.arrange(peer);
    logIn("alice", "wonder land");
    page.setViewportSize(320, 900);
    for (String language : List.of("it", "pl", "ko", "ja")) {
      page.locator("button[name=language][value=" + language + "]").click();
      assertThat(page.locator("html")).hasAttribute("lang", language);
      for (String address : PageAddresses.OF_USERS) {
        go(address);
        assertThat((List<?>) page.evaluate(TOO_WIDE)).as("%s in %s", address, language).isEmpty();
      }
    }
  }

  private void shoot(String what) {
    for (int width : new int[] {320, 768, 1440}) {
      page.setViewportSize(width, 900);
      assertThat(page.evaluate("document.documentElement.scrollWidth"))
          .as("%s at %d px must not scroll sideways", what, width)
          .isEqualTo(width);
      for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
        page.emulateMedia(new EmulateMediaOptions().setColorScheme(scheme));
        String name = "%s-%d-%s.png".formatted(what, width, scheme).toLowerCase(Locale.ROOT);
        assertThat(Axe.violations(page)).as("%s, %s", what, scheme).isEmpty();
        page.screenshot(
            new ScreenshotOptions().setPath(SCREENSHOTS.resolve(name)).setFullPage(true));
      }
    }
  }

  private void openWindow() {
    context = chromium.browser().newContext();
    context.setDefaultTimeout(Chromium.PATIENCE_MS);
    page = context.newPage();
    page.onConsoleMessage(message -> {
      if (message.type().equals("error")) {
        complaints.add(message.text());
      }
    });
    page.onPageError(complaints::add);
  }

  private void go(String path) {
    page.navigate(RunningWebgui.pages() + path);
  }

  private void logIn(String user, String password) {
    go("/login");
    page.getByTestId("login-user").fill(user);
    page.getByTestId("login-password").fill(password);
    page.getByTestId("login-submit").click();
    assertThat(page.getByTestId("visitor")).hasText(user);
  }
}
