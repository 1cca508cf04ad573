package io.viaduct.testbed.pages;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// A user's day in a real Chromium, with the pages as packaged and a real billing: a cap and what
/// is told when it is reached, an alert, a voucher, a block with its reason, devices and their
/// names, and a password that is set by the operator's link.
@Timeout(600)
class UserDayTest {
  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final double PATIENCE_MS = 60_000;
  private static final String KEY = "q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJq80";

  @TempDir Path directory;
  private RunningPages pages;
  private Page page;

  @Test
  void aUserSetsLimitsRedeemsNamesADeviceAndGetsANewPassword() throws Exception {
    assumeTrue(Files.isExecutable(CHROMIUM), CHROMIUM + " is missing (apt-get install chromium)");
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MS);
    try (RunningPages running = new RunningPages(directory, "");
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
                        .setArgs(List.of("--no-sandbox", "--disable-gpu")));
        BrowserContext window = browser.newContext()) {
      pages = running;
      pages.open("alice", 5_700_000_000L);
      GeneratedMonth.write(pages.database(), "alice", Instant.now());
      page = window.newPage();
      logIn(page, "password-of-alice");
      reachTheCap();
      setAnAlert();
      redeem();
      beBlocked();
      nameADevice();
      setTheLostPassword(browser);
    }
  }

  private void go(String path) {
    page.navigate(pages.address() + path);
  }

  private Locator at(String testId) {
    return page.getByTestId(testId);
  }

  private void logIn(Page in, String password) {
    in.navigate(pages.address() + "/login");
    in.getByTestId("login-user").fill("alice");
    in.getByTestId("login-password").fill(password);
    in.getByTestId("login-submit").click();
    assertThat(in.getByTestId("visitor")).hasText("alice");
  }

  // What was spent today is fixed, so that the test holds at each hour of the day.
  private void reachTheCap() {
    pages
        .database()
        .update(
            "insert into spending (account, day, spent_microdenarii)"
                + " values ('alice', (now() at time zone 'UTC')::date, 3000000)"
                + " on conflict (account, day) do update set spent_microdenarii = 3000000");
    go("/accounts/alice/limits");
    at("cap-day-field").fill("2,5");
    at("caps-submit").click();
    assertThat(at("done")).isVisible();
    untilShown("/accounts/alice/limits", "refused");
    assertThat(at("refused")).hasAttribute("data-refused", "cap-day");
    assertThat(at("notice-row").first()).hasAttribute("data-state", "cap-day");
    go("/");
    assertThat(at("refused")).containsText("a top-up does not");
    assertThat(at("cap-day")).containsText("2.50");
    go("/accounts/alice/limits");
    at("cap-day-field").fill("");
    at("caps-submit").click();
    assertThat(at("done")).isVisible();
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> {
          go("/");
          return at("balance").isVisible() && at("refused").count() == 0;
        });
  }

  private void untilShown(String path, String testId) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> {
          go(path);
          return at(testId).count() == 1;
        });
  }

  private void setAnAlert() {
    go("/");
    assertThat(at("live-state")).hasText("Live");
    Page limits = page.context().newPage();
    limits.navigate(pages.address() + "/accounts/alice/limits");
    limits.getByTestId("alert-low").fill("100000");
    limits.getByTestId("alert-submit").click();
    assertThat(limits.getByTestId("done")).isVisible();
    limits.close();
    assertThat(page.getByText("The credit is low.")).isVisible(); // without a reload
  }

  private void redeem() throws Exception {
    JsonNode made =
        pages.operator(
            "POST",
            "/vouchers",
            "{\"count\":1,\"amountMicrodenarii\":\"5500000\",\"expiresAt\":\"%s\",\"note\":\"\"}"
                .formatted(Instant.now().plus(1, ChronoUnit.DAYS)),
            "Idempotency-Key",
            "vouchers");
    go("/accounts/alice/top-up");
    at("voucher-code").fill(made.at("/vouchers/0/code").asString());
    at("voucher-submit").click();
    assertThat(at("redeemed")).containsText("5.500000");
    at("voucher-code").fill("7KQ2M7KQ2M7KQ2M7KQ2M");
    at("voucher-submit").click();
    assertThat(at("problem")).isVisible();
  }

  private void beBlocked() throws Exception {
    block(true, "card reported stolen");
    go("/");
    assertThat(at("refused")).hasAttribute("data-refused", "blocked");
    assertThat(at("refused")).containsText("card reported stolen");
    block(false, "card found");
    go("/");
    assertThat(at("balance")).isVisible();
    assertThat(at("refused")).hasCount(0);
  }

  private void block(boolean isBlocked, String reason) throws Exception {
    Long version =
        pages
            .database()
            .queryForObject(
                "select rules_version from credit_account where account = 'alice'", Long.class);
    pages.operator(
        "PUT",
        "/accounts/alice/credit/block",
        "{\"blocked\":%s,\"reason\":\"%s\"}".formatted(isBlocked, reason),
        "If-Match",
        "\"" + version + "\"");
  }

  private void nameADevice() {
    go("/accounts/alice/user");
    Locator row = at("device-row").filter(new Locator.FilterOptions().setHasText(KEY));
    row.locator("[name=name]").fill("red phone");
    row.getByTestId("name-form").locator("button").click();
    assertThat(at("done")).isVisible();
    go("/accounts/alice/charges?by=device");
    assertThat(at("group-row").filter(new Locator.FilterOptions().setHasText("red phone")).first())
        .isVisible();
    page.locator("details.more > summary").click();
    at("filter-device").selectOption(KEY);
    page.locator("[data-testid=charges-filter] > button").click();
    assertThat(page).hasURL(java.util.regex.Pattern.compile(".*device=" + KEY + ".*"));
    assertThat(at("charge-row").first()).isVisible();
    go("/accounts/alice/user");
    page.onceDialog(dialog -> dialog.accept());
    row.locator("form").last().locator("button").click();
    assertThat(at("device-row")).hasCount(1);
  }

  private void setTheLostPassword(Browser browser) throws Exception {
    String link =
        pages.operator("POST", "/accounts/alice/password-resets", "{}").get("token").asString();
    try (BrowserContext elsewhere = browser.newContext()) {
      Page stranger = elsewhere.newPage();
      stranger.navigate(pages.address() + "/reset?token=" + link);
      stranger.getByTestId("reset-password").fill("a quite new password");
      stranger.getByTestId("reset-again").fill("a quite new password");
      stranger.getByTestId("reset-submit").click();
      logIn(stranger, "a quite new password");
      assertThat(stranger.getByTestId("balance")).isVisible();
    }
    page.reload();
    assertThat(page.url()).as("the log-ins before have ended").contains("/login");
  }
}
