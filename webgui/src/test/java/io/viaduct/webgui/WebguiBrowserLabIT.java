package io.viaduct.webgui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import io.viaduct.webgui.PeerServer.Mood;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The pages in a real Chromium: what only a browser can show. Pictures of every page go to
/// `target/screenshots`, for people to look at.
class WebguiBrowserLabIT {
  /// Elements that make a page scroll sideways; none that scroll by themselves.
  private static final String TOO_WIDE =
      """
      () => document.documentElement.scrollWidth <= innerWidth ? []
        : [...document.querySelectorAll('body *')]
          .filter((part) => part.getBoundingClientRect().right > innerWidth + 1 && !part.closest('.scroll'))
          .map((part) => part.tagName + ' ' + part.className + ' ' + part.textContent.trim().slice(0, 60))
      """;

  /// Rows of tables that are cards on small screens, with a cell that is out of view there.
  private static final String OUT_OF_VIEW =
      """
      () => [...document.querySelectorAll('table.cards tr')]
        .filter((row) => !row.closest('thead') && row.getClientRects().length > 0)
        .filter((row) => [...row.cells].some((cell) => cell.textContent.trim()
          && (cell.getClientRects().length === 0 || cell.getBoundingClientRect().right > innerWidth + 1)))
        .map((row) => row.textContent.trim().slice(0, 80))
      """;

  private static final int PICTURES_S = 900;

  private static Chromium chromium;
  private PeerServer peer;
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
  void openBrowser() {
    peer = RunningWebgui.freshPeer();
    window = chromium.open();
    page = window.page();
  }

  @AfterEach
  void closeBrowser() {
    window.close();
  }

  @Test
  void userLogsInAndSeesBalanceChargeAndALiveUpdateWithoutReload() {
    peer.charges.add(PeerServer.charge("c1", "alice"));
    window.logIn("alice", "wonder land");
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
    assertThat(window.complaints()).isEmpty();
  }

  @Test
  void whatTheVisitorHasOpenedStaysOpenAndFocusedAfterALiveUpdate() {
    window.logIn("alice", "wonder land");
    assertThat(page.getByTestId("live-state")).hasText("Live");
    Locator numbers = page.locator("#today-numbers");
    numbers.click();
    assertThat(page.locator("#today-hours")).isVisible();
    peer.usage.put("total", PeerServer.sums(null, "1", "4000000"));

    peer.book(PeerServer.charge("c1", "alice"));

    assertThat(page.getByTestId("today-spent")).containsText("4.00");
    assertThat(page.locator("#today-hours")).isVisible();
    assertThat(numbers).isFocused();
    numbers.click();
    peer.usage.put("total", PeerServer.sums(null, "2", "5000000"));
    peer.book(PeerServer.charge("c2", "alice"));
    assertThat(page.getByTestId("today-spent")).containsText("5.00");
    assertThat(page.locator("#today-hours")).isHidden();
  }

  @Test
  void livePageReconnectsAfterBillingWasAwayAndCatchesUp() {
    window.logIn("alice", "wonder land");
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
    window.logIn("alice", "wonder land");
    assertThat(page.getByTestId("live-state")).hasText("Live");
    Page other = window.tab();
    other.navigate(RunningWebgui.pages().toString());
    other.getByTestId("logout").click();
    page.waitForURL("**/login?problem=ended");
  }

  @Test
  void operatorTopsUpAndWatchesTheSnapts() {
    peer.snapts.add(PeerServer.snapt("snapt-1", 12));
    window.logIn("olga", "operates");
    window.go("/accounts");
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
    window.logIn("alice", "wonder land");
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
  @Timeout(PICTURES_S)
  void eachPageOfAUserFitsItsWindow() {
    Scenery.arrange(peer);
    window.go("/login?problem=wrong");
    window.shoot("login");
    window.logIn("alice", "wonder land");
    assertThat(page.getByTestId("live-state")).hasText("Live");
    shoot("user", PageAddresses.OF_USERS);
    shoot("error", "/accounts/bob");
  }

  @Test
  @Timeout(PICTURES_S)
  void eachPageOfAnOperatorFitsItsWindow() {
    Scenery.arrange(peer);
    window.logIn("olga", "operates");
    shoot("operator", PageAddresses.OF_OPERATORS);
    window.go("/accounts/alice");
    page.getByTestId("topup-amount").fill("five");
    page.getByTestId("topup-reference").fill("invoice 7");
    page.getByTestId("topup-submit").click();
    assertThat(page.getByTestId("live-state")).hasText("Live");
    window.shoot("topup");
  }

  @Test
  void pageOfAnAbsentBillingFitsItsWindow() {
    window.logIn("olga", "operates");
    peer.billing = Mood.FAILING;
    shoot("away", "/accounts/alice");
  }

  private void shoot(String what, String address) {
    window.go(address);
    window.shoot(what);
  }

  private void shoot(String visitor, List<String> addresses) {
    addresses.forEach(address -> shoot(visitor + PageAddresses.name(address), address));
  }

  @ParameterizedTest
  @ValueSource(strings = {"it", "pl", "ko", "ja"})
  @Timeout(PICTURES_S)
  void pagesOfAUserFitASmallWindowInEachLanguage(String language) throws Exception {
    fitASmallWindow("alice", "wonder land", language, PageAddresses.OF_USERS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"it", "pl", "ko", "ja"})
  @Timeout(PICTURES_S)
  void pagesOfAnOperatorFitASmallWindowInEachLanguage(String language) throws Exception {
    fitASmallWindow("olga", "operates", language, PageAddresses.OF_OPERATORS);
  }

  private void fitASmallWindow(
      String user, String password, String language, List<String> addresses) throws Exception {
    assumeTrue(
        hasFont(language),
        "no font for '"
            + language
            + "': its texts would be boxes of another width (apt-get install fonts-noto-cjk"
            + " fonts-nanum)");
    Scenery.arrange(peer);
    window.logIn(user, password);
    page.setViewportSize(320, 900);
    page.locator("button[name=language][value=" + language + "]").click();
    assertThat(page.locator("html")).hasAttribute("lang", language);
    for (String address : addresses) {
      window.go(address);
      assertThat((List<?>) page.evaluate(TOO_WIDE)).as("%s in %s", address, language).isEmpty();
      assertThat((List<?>) page.evaluate(OUT_OF_VIEW)).as("%s in %s", address, language).isEmpty();
    }
  }

  private static boolean hasFont(String language) throws Exception {
    Process list = new ProcessBuilder("fc-list", ":lang=" + language).start();
    return !new String(list.getInputStream().readAllBytes(), UTF_8).isBlank();
  }
}
