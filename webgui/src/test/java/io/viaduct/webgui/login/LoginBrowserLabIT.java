package io.viaduct.webgui.login;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import io.viaduct.webgui.Axe;
import io.viaduct.webgui.Chromium;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.SecondFactorPeer;
import io.viaduct.webgui.Window;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The ways to log in, in a real Chromium: what the policy for content lets through, widths,
/// colours, and what a screen reader finds.
class LoginBrowserLabIT {
  private static Chromium chromium;
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
  void openWindow() {
    window = chromium.open();
    page = window.page();
  }

  @AfterEach
  void closeWindow() {
    window.close();
  }

  @Test
  @Timeout(300)
  void aCodeIsTypedAfterThePasswordAndASecondFactorIsSetUp() {
    PeerServer peer = RunningWebgui.freshPeer();
    peer.factors.on.add("olga");
    window.go("/login");
    page.getByTestId("login-user").fill("olga");
    page.getByTestId("login-password").fill("operates");
    page.getByTestId("login-submit").click();
    assertThat(page.getByTestId("code-code")).isFocused();
    page.getByTestId("code-code").fill("000000");
    page.getByTestId("code-submit").click();
    assertThat(page.getByTestId("code-problem")).isVisible();
    window.shoot("login-code");
    page.getByTestId("code-code").fill(SecondFactorPeer.CODE);
    page.getByTestId("code-submit").click();
    assertThat(page.getByTestId("visitor")).hasText("olga");

    peer.factors.on.clear();
    window.go("/accounts/olga/second-factor");
    page.getByTestId("factor-begin").click();
    assertThat(page.getByTestId("factor-qr")).isVisible();
    window.shoot("second-factor");
    page.getByTestId("factor-code").fill(SecondFactorPeer.CODE);
    page.getByTestId("factor-confirm").click();
    assertThat(page.getByTestId("recovery-codes")).isVisible();
    window.shoot("recovery-codes");
    assertThat(window.complaints()).isEmpty();
  }

  @Test
  @Timeout(300)
  void theProviderIdentifiesTheVisitor(@TempDir Path folder) throws Exception {
    try (PagesWithProvider pages = new PagesWithProvider(folder)) {
      page.navigate(pages.address + "/login");
      assertThat(Axe.violations(page)).isEmpty();
      page.getByTestId("login-provider").click();
      page.locator("#username").fill("alice");
      page.locator("#password").fill("at the provider");
      page.locator("button[type=submit]").click();
      assertThat(page.getByTestId("visitor")).hasText("alice");
      assertThat(page.getByTestId("live-state")).hasText("Live");

      page.getByTestId("logout").click();
      page.waitForURL(pages.address + "/login");
      page.getByTestId("login-provider").click();
      assertThat(page.locator("#username")).isVisible(); // the provider has logged out, too
      assertThat(window.complaints()).isEmpty();
    }
  }
}
