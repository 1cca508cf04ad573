package io.viaduct.testbed.pages;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.TimeoutError;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.Year;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Takes pictures of each page with a month of generated data, at three widths. `./viaduct
/// screenshots` copies those of the README to `docs/images`. The property `pages.schemes` has the
/// colour schemes: in the suite one, because no test compares pictures.
@Timeout(600)
class ScreenshotsTest {
  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final Path PICTURES = Path.of("target/screenshots");
  private static final int[] WIDTHS = {320, 768, 1440};
  private static final int HEIGHT = 900;
  private static final List<ColorScheme> SCHEMES =
      Stream.of(System.getProperty("pages.schemes", "LIGHT").split(","))
          .map(ColorScheme::valueOf)
          .toList();

  /// Rows of tables that are cards on small screens, with a cell that is out of view there.
  private static final String OUT_OF_VIEW =
      """
      () => innerWidth > 640 ? [] : [...document.querySelectorAll('table.cards tr')]
        .filter((row) => !row.closest('thead') && row.getClientRects().length > 0)
        .filter((row) => [...row.cells].some((cell) => cell.textContent.trim()
          && (cell.getBoundingClientRect().right > innerWidth + 1 || cell.getClientRects().length === 0)))
        .map((row) => row.textContent.trim().replace(/\\s+/g, ' ').slice(0, 80))
      """;

  private static final double PATIENCE_MS = 60_000;

  @TempDir Path directory;

  @Test
  void eachPageFitsWithAMonthOfDataAndEachChargeIsTheOneThatTheBrowserComputes() throws Exception {
    assumeTrue(Files.isExecutable(CHROMIUM), CHROMIUM + " is missing (apt-get install chromium)");
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MS);
    try (AnsweringBridge bridge = new AnsweringBridge(Instant.now());
        RunningPages pages = new RunningPages(directory, "", bridge.address());
        Playwright playwright =
            Playwright.create(
                new Playwright.CreateOptions()
                    .setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        Browser browser =
            playwright
                .chromium()
                .launch(
                    new BrowserType.LaunchOptions()
                        .setExecutablePath(CHROMIUM)
                        .setArgs(List.of("--no-sandbox", "--disable-gpu")))) {
      pages.open("alice", 5_700_000_000L);
      try (BrowserContext window = browser.newContext()) {
        Page page = window.newPage();
        logIn(page, pages, "operator", RunningPages.OPERATOR_PASSWORD);
        verify(page, pages); // the month that is written below is not settled
      }
      long charge = GeneratedMonth.write(pages.database(), "alice", Instant.now());
      GeneratedMonth.furnish(pages.database(), "alice");
      try (BrowserContext window =
          browser.newContext(new Browser.NewContextOptions().setTimezoneId("Europe/Rome"))) {
        Page page = window.newPage();
        page.navigate(pages.address() + "/login");
        shoot(page, "login");
        logIn(page, pages, "alice", "password-of-alice");
        shootAll(page, pages, ofUsers(charge));
        makeAToken(page, pages);
      }
      try (BrowserContext window = browser.newContext()) {
        Page page = window.newPage();
        logIn(page, pages, "operator", RunningPages.OPERATOR_PASSWORD);
        shootAll(page, pages, ofOperators());
        makeVouchers(page, pages);
        editTheTariff(page, pages);
        makeAReset(page, pages);
      }
    }
  }

  private static Map<String, String> ofUsers(long charge) {
    Map<String, String> addresses = new LinkedHashMap<>();
    addresses.put("home", "/");
    addresses.put("charges", "/accounts/alice/charges");
    addresses.put("charge", "/charges/" + charge);
    addresses.put("savings", "/accounts/alice/savings");
    addresses.put("usage", "/accounts/alice/usage?by=day");
    addresses.put("payments", "/accounts/alice/top-ups");
    addresses.put("credits", "/accounts/alice/credits");
    addresses.put("user", "/accounts/alice/user");
    addresses.put("statement", "/accounts/alice/statement");
    addresses.put("top-up", "/accounts/alice/top-up");
    addresses.put("limits", "/accounts/alice/limits");
    addresses.put("webhooks", "/accounts/alice/webhooks");
    addresses.put("second-factor", "/accounts/alice/second-factor");
    addresses.put("error", "/accounts/bob");
    return addresses;
  }

  private static Map<String, String> ofOperators() {
    Map<String, String> addresses = new LinkedHashMap<>();
    addresses.put("operator", "/operator");
    addresses.put("accounts", "/accounts");
    addresses.put("credit", "/accounts/alice/credit");
    addresses.put("credit-overview", "/credit");
    addresses.put("rollback", "/tariffs/1/rollback");
    addresses.put("tariffs", "/tariffs");
    addresses.put("tariff", "/tariffs/1");
    addresses.put("account-of-user", "/accounts/alice");
    addresses.put("reports", "/reports");
    addresses.put("snapts", "/snapts");
    addresses.put("registrations", "/registrations");
    addresses.put("audit", "/audit");
    addresses.put("cdr-files", "/cdr-files");
    addresses.put("reratings", "/reratings");
    addresses.put("fees", "/owners/operator/fees");
    return addresses;
  }

  private static void verify(Page page, RunningPages pages) {
    page.navigate(pages.address() + "/ledger");
    page.getByTestId("verify-submit").click();
    assertThat(page.getByTestId("verification-running")).hasCount(0);
    page.navigate(pages.address() + "/ledger");
    assertThat(page.getByTestId("verification-outcome")).isVisible();
    shoot(page, "ledger");
  }

  private static void makeVouchers(Page page, RunningPages pages) {
    page.navigate(pages.address() + "/vouchers");
    page.locator("#count").fill("12");
    page.locator("#amount").fill("5.50");
    page.locator("#until").fill(Year.now().plusYears(1) + "-12-31");
    page.getByTestId("vouchers-submit").click();
    assertThat(page.getByTestId("sheet-code")).hasCount(12);
    shoot(page, "voucher-sheet");
    page.navigate(pages.address() + "/vouchers");
    shoot(page, "vouchers");
  }

  private static void editTheTariff(Page page, RunningPages pages) {
    page.navigate(pages.address() + "/tariffs");
    page.getByTestId("draft-name").fill("Summer");
    page.getByTestId("draft-submit").click();
    assertThat(page.locator(".knot").first()).isVisible();
    page.locator("[name='t/classes/LT_LD/weight']").fill("0.5");
    assertThat(page.getByTestId("check").locator("p.good")).isVisible();
    page.locator("[data-applications] > summary").click();
    shoot(page, "tariff-editor");
    page.getByTestId("draft-diff").click();
    assertThat(page.getByTestId("changes")).isVisible();
    shoot(page, "tariff-diff");
    page.goBack();
    page.getByTestId("draft-simulate").click();
    assertThat(page.getByTestId("trial-after")).isVisible();
    shoot(page, "tariff-trial");
    page.locator(".crumbs").getByText("Summer").click();
    page.getByTestId("draft-publish").click();
    assertThat(page.getByTestId("validity-submit")).isVisible();
    shoot(page, "tariff-publish");
  }

  private static void makeAToken(Page page, RunningPages pages) {
    page.navigate(pages.address() + "/accounts/alice/tokens");
    page.locator("#name").fill("spreadsheet");
    page.getByTestId("token-submit").click();
    assertThat(page.getByTestId("token-secret")).isVisible();
    shoot(page, "tokens");
  }

  private static void makeAReset(Page page, RunningPages pages) {
    page.navigate(pages.address() + "/accounts/alice/user");
    page.getByTestId("make-reset").click();
    String address = page.getByTestId("reset-address").inputValue();
    assertThat(address).startsWith(pages.address() + "/reset?token=");
    shoot(page, "reset-link");
    page.navigate(address);
    assertThat(page.getByTestId("reset-form")).isVisible();
    shoot(page, "reset");
  }

  private static void logIn(Page page, RunningPages pages, String user, String password) {
    page.navigate(pages.address() + "/login");
    page.getByTestId("login-user").fill(user);
    page.getByTestId("login-password").fill(password);
    page.getByTestId("login-submit").click();
    assertThat(page.getByTestId("visitor")).hasText(user);
  }

  private static void shootAll(Page page, RunningPages pages, Map<String, String> addresses) {
    for (Map.Entry<String, String> address : addresses.entrySet()) {
      page.navigate(pages.address() + address.getValue());
      if (page.locator(".chart").count() > 0) {
        assertThat(page.locator(".chart canvas").first()).isVisible();
      }
      if (page.getByTestId("recomputed").count() > 0) {
        assertThat(page.getByTestId("recomputed")).hasAttribute("data-recomputed", "same");
      }
      shoot(page, address.getKey());
    }
  }

  private static void shoot(Page page, String name) {
    for (int width : WIDTHS) {
      page.setViewportSize(width, HEIGHT);
      try { // charts follow the width with the next frame
        page.waitForFunction("width => document.documentElement.scrollWidth === width", width);
      } catch (TimeoutError e) {
        throw new AssertionError("%s at %d px scrolls sideways".formatted(name, width), e);
      }
      assertThat((List<?>) page.evaluate(OUT_OF_VIEW)).as("%s at %d px", name, width).isEmpty();
      for (ColorScheme scheme : SCHEMES) {
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
        String file = "%s-%d-%s.png".formatted(name, width, scheme).toLowerCase(Locale.ROOT);
        page.screenshot(
            new Page.ScreenshotOptions()
                .setPath(PICTURES.resolve(file))
                .setFullPage(width != 1440));
      }
    }
  }
}
