package io.viaduct.webgui.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.BroughtMoneyPeer;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VoucherPagesTest {
  private PeerServer peer;
  private Visitor olga;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
    olga = Visitor.operator();
  }

  private Map<String, String> form(String count, String amount, String until) {
    String page = olga.get("/vouchers").body();
    return new HashMap<>(
        Map.of(
            "_csrf",
            Visitor.hidden(page, "_csrf"),
            "idempotencyKey",
            Visitor.hidden(page, "idempotencyKey"),
            "count",
            count,
            "amount",
            amount,
            "until",
            until,
            "note",
            "kiosk"));
  }

  @Test
  void theSheetShowsTheCodesOnceAndIsKeptNowhere() {
    Map<String, String> form = form("2", "5.50", "2027-12-31");
    HttpResponse<String> sheet = olga.post("/vouchers", form);
    assertThat(sheet.statusCode()).isEqualTo(200);
    assertThat(sheet.body())
        .contains("7KQ2M-0XW9T-H3B4C-N8PRD", "8KQ2M-0XW9T-H3B4C-N8PRD", "5.5 den");
    assertThat(sheet.headers().firstValue("Cache-Control").orElse("")).contains("no-store");
    // The whole last day in the viewer's zone, which is UTC here.
    assertThat(peer.money.made.values().toString())
        .contains("\"expiresAt\":\"2028-01-01T00:00:00Z\"", "\"amountMicrodenarii\":\"5500000\"");

    HttpResponse<String> again = olga.post("/vouchers", form);
    assertThat(again.body()).contains("data-testid=\"sheet-gone\"").doesNotContain("7KQ2M");
    assertThat(olga.get("/vouchers").body())
        .contains("data-testid=\"voucher-batch\" data-batch=\"12\"")
        .doesNotContain("7KQ2M");
  }

  @ParameterizedTest
  @CsvSource({
    "many, 5, 2027-12-31, vouchers.problem.number",
    "2, five, 2027-12-31, vouchers.problem.number",
    "2, 5, soon, vouchers.problem.until"
  })
  void aWrongFormIsMendedOnThePage(String count, String amount, String until, String problem) {
    olga.post("/vouchers", form(count, amount, until));
    assertThat(olga.get("/vouchers").body())
        .contains("data-problem=\"" + problem + "\"", "value=\"" + count + "\"");
    assertThat(peer.money.made).isEmpty();
  }

  @Test
  void aBatchIsTakenBackWithAReason() {
    peer.money.batches.add(BroughtMoneyPeer.batch("12", 20, "5000000", 17));
    String page = olga.get("/vouchers").body();
    assertThat(Visitor.text(page, "voucher-open")).isEqualTo("17");
    olga.post(
        "/vouchers/12/return",
        Map.of(
            "_csrf",
            Visitor.hidden(page, "_csrf"),
            "idempotencyKey",
            Visitor.first(page, "/vouchers/12/return.*?name=\"idempotencyKey\" value=\"([^\"]*)\""),
            "reason",
            "sheet was lost"));
    assertThat(peer.money.takenBack).containsExactly("12: sheet was lost");
    assertThat(olga.get("/vouchers").body()).contains("data-testid=\"done\"");
  }

  @Test
  void usersHaveNoSuchPage() {
    Visitor alice = Visitor.alice();
    assertThat(alice.get("/vouchers").statusCode()).isEqualTo(403);
    String csrf = Visitor.hidden(alice.get("/").body(), "_csrf");
    assertThat(alice.post("/vouchers", Map.of("_csrf", csrf)).statusCode()).isEqualTo(403);
    assertThat(alice.get("/").body()).doesNotContain("/vouchers");
  }
}
