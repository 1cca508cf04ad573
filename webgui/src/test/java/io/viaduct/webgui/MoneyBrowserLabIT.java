package io.viaduct.webgui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Page.EmulateMediaOptions;
import com.microsoft.playwright.Page.ScreenshotOptions;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Playwright.CreateOptions;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The pages of vouchers, payments, statements, limits and lost passwords in a real Chromium:
/// widths, colours, what a screen reader finds, and the console.
class MoneyBrowserLabIT {
  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final Path SCREENSHOTS = Path.of("target/screenshots");

  private static Playwright playwright;
  private static Browser chromium;
  private final List<String> complaints = new ArrayList<>();
  private PeerServer peer;
  private Page page;

  @BeforeAll
  static void startChromium() {
    assumeTrue(
        Files.isExecutable(CHROMIUM),
        CHROMIUM + " is missing: apt-get install chromium to run the browser tests");
    playwright =
        Playwright.create(
            new CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    chromium =
        playwright
            .chromium()
            .launch(
                new LaunchOptions()
                    .setExecutablePath(CHROMIUM)
                    .setArgs(List.of("--no-sandbox", "--disable-gpu", "--no-first-run")));
  }

  @AfterAll
  static void stopChromium() {
    if (playwright != null) {
      playwright.close();
    }
  }

  @BeforeEach
  void openWindow() {
    peer = RunningWebgui.freshPeer();
    page = chromium.newContext().newPage();
    page.setDefaultTimeout(30_000);
    page.onConsoleMessage(message -> {
      if (message.type().equals("error")) {
        complaints.add(message.text());
      }
    });
    page.onPageError(complaints::add);
    peer.money.vouchers.put("7KQ2M-0XW9T-H3B4C-N8PRD", 5_000_000L);
    peer.money.payments.add(BroughtMoneyPeer.payment("started", "25000000"));
    peer.money.payments.add(BroughtMoneyPeer.payment("paid", "10500000"));
    peer.money.payments.add(BroughtMoneyPeer.payment("failed", "1000000"));
    peer.money.batches.add(BroughtMoneyPeer.batch("12", 20, "5000000", 17));
    peer.money.batches.add(BroughtMoneyPeer.batch("11", 1000, "25500000", 0));
    peer.money.notices.add(
        Map.of(
            "state", "low", "creditMicrodenarii", "4900000", "noticedAt", "2026-11-20T10:00:00Z"));
  }

  @Test
  void aUserRedeemsAVoucherAndFindsThePagesUsable() {
    logIn("alice", "wonder land");
    page.getByText("Top up").first().click();
    page.getByTestId("voucher-code").fill("7KQ2M-0XW9T-H3B4C-N8PRD");
    page.getByTestId("voucher-submit").click();
    assertThat(page.getByTestId("redeemed").textContent()).contains("Voucher 12-1 redeemed");
    shoot("top-up");
    page.getByTestId("payment-amount").fill("25");
    page.getByTestId("payment-submit").click();
    assertThat(page.getByTestId("payment-go").getAttribute("href"))
        .startsWith("https://pay.example/");
    shoot("payment");
    go("/accounts/alice/statement?month=2026-10");
    shoot("statement");
    go("/accounts/alice/limits");
    shoot("limits");
    go("/accounts/alice/user");
    shoot("user-devices");
    assertThat(complaints).isEmpty();
  }

  @Test
  void anOperatorPrintsVouchersAndMakesALink() {
    logIn("olga", "operates");
    go("/vouchers");
    shoot("vouchers");
    page.locator("#count").fill("2");
    page.locator("#amount").fill("5.50");
    page.locator("#until").fill("2027-12-31");
    page.getByTestId("vouchers-submit").click();
    assertThat(page.getByTestId("sheet-code").first().textContent())
        .isEqualTo("7KQ2M-0XW9T-H3B4C-N8PRD");
    shoot("voucher-sheet");
    go("/accounts/alice/user");
    page.getByTestId("make-reset").click();
    assertThat(page.getByTestId("reset-link").isVisible()).isTrue();
    shoot("reset-link");
    page.getByTestId("logout").click();
    go("/reset?token=secret-of-the-link");
    shoot("reset");
    assertThat(complaints).isEmpty();
  }

  private void logIn(String user, String password) {
    go("/login");
    page.getByTestId("login-user").fill(user);
    page.getByTestId("login-password").fill(password);
    page.getByTestId("login-submit").click();
    assertThat(page.getByTestId("visitor").textContent()).isEqualTo(user);
  }

  private void go(String path) {
    page.navigate(RunningWebgui.pages() + path);
  }

  private void shoot(String what) {
    assertThat(Axe.violations(page)).as(what).isEmpty();
    for (int width : new int[] {320, 768, 1440}) {
      page.setViewportSize(width, 900);
      assertThat(page.evaluate("document.documentElement.scrollWidth"))
          .as("%s at %d px must not scroll sideways", what, width)
          .isEqualTo(width);
      for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
        page.emulateMedia(new EmulateMediaOptions().setColorScheme(scheme));
        String name = "%s-%d-%s.png".formatted(what, width, scheme).toLowerCase(Locale.ROOT);
        page.screenshot(
            new ScreenshotOptions().setPath(SCREENSHOTS.resolve(name)).setFullPage(true));
      }
    }
  }
}
