package io.viaduct.webgui;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The pages of vouchers, payments, statements, limits and lost passwords in a real Chromium:
/// widths, colours, what a screen reader finds, and the console.
class MoneyBrowserLabIT {
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

  @AfterEach
  void closeWindow() {
    window.close();
  }

  @BeforeEach
  void openWindow() {
    peer = RunningWebgui.freshPeer();
    window = chromium.open();
    page = window.page();
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
  @Timeout(600)
  void aUserRedeemsAVoucherAndFindsThePagesUsable() {
    window.logIn("alice", "wonder land");
    page.getByText("Top up").first().click();
    page.getByTestId("voucher-code").fill("7KQ2M-0XW9T-H3B4C-N8PRD");
    page.getByTestId("voucher-submit").click();
    assertThat(page.getByTestId("redeemed").textContent()).contains("Voucher 12-1 redeemed");
    window.shoot("top-up");
    page.getByTestId("payment-amount").fill("25");
    page.getByTestId("payment-submit").click();
    assertThat(page.getByTestId("payment-go").getAttribute("href"))
        .startsWith("https://pay.example/");
    window.shoot("payment");
    window.go("/accounts/alice/statement?month=2026-10");
    window.shoot("statement");
    window.go("/accounts/alice/limits");
    window.shoot("limits");
    window.go("/accounts/alice/user");
    window.shoot("user-devices");
    assertThat(window.complaints()).isEmpty();
  }

  @Test
  @Timeout(600)
  void anOperatorPrintsVouchersAndMakesALink() {
    window.logIn("olga", "operates");
    window.go("/vouchers");
    window.shoot("vouchers");
    page.locator("#count").fill("2");
    page.locator("#amount").fill("5.50");
    page.locator("#until").fill("2027-12-31");
    page.getByTestId("vouchers-submit").click();
    assertThat(page.getByTestId("sheet-code").first().textContent())
        .isEqualTo("7KQ2M-0XW9T-H3B4C-N8PRD");
    window.shoot("voucher-sheet");
    window.go("/accounts/alice/user");
    page.getByTestId("make-reset").click();
    assertThat(page.getByTestId("reset-link").isVisible()).isTrue();
    window.shoot("reset-link");
    page.getByTestId("logout").click();
    window.go("/reset?token=secret-of-the-link");
    window.shoot("reset");
    assertThat(window.complaints()).isEmpty();
  }
}
