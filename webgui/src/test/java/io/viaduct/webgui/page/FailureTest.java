package io.viaduct.webgui.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.Metrics;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.PeerServer.Mood;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailureTest {
  private PeerServer peer;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
  }

  @ParameterizedTest
  @CsvSource({
    "FAILING, failed",
    "GARBLED, unreadable",
    "HOLLOW, unreadable",
    "ENDLESS, unreadable",
    "SILENT, timeout"
  })
  void billingThatGivesNoUsableAnswerIsACalmPageThatRetries(Mood mood, String reason) {
    Visitor alice = Visitor.alice();
    double before = failures("billing", reason);
    peer.billing = mood;
    HttpResponse<String> answer = alice.get("/");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).contains("5");
    assertThat(answer.body())
        .contains("Billing does not answer", "data-testid=\"away\"", "alice")
        .doesNotContain("Exception", "io.viaduct", "\tat ");
    assertThat(failures("billing", reason)).isEqualTo(before + 1);
    peer.billing = Mood.WELL;
    assertThat(alice.get("/").statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({"FAILING", "GARBLED", "HOLLOW", "ENDLESS", "SILENT"})
  void bridgeThatGivesNoUsableAnswerIsAStateOfItsListOnly(Mood mood) {
    Visitor olga = Visitor.operator();
    peer.bridge = mood;
    HttpResponse<String> page = olga.get("/snapts");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("data-testid=\"snapts-away\"", "hx-get=\"/snapts/table\"");
    HttpResponse<String> table = olga.get("/snapts/table", "HX-Request", "true");
    assertThat(table.statusCode()).isEqualTo(200);
    assertThat(table.body()).contains("data-testid=\"snapts-away\"").doesNotContain("<html");
  }

  @Test
  void operatorPagesThatNeedBillingSayWhoIsAway() {
    Visitor olga = Visitor.operator();
    peer.billing = Mood.FAILING;
    for (String path : new String[] {"/accounts", "/accounts/alice", "/reports"}) {
      assertThat(olga.get(path).body()).contains("data-peer=\"BILLING\"");
    }
  }

  @Test
  void streamToAnAbsentBillingIsRefusedWithoutAPage() {
    Visitor alice = Visitor.alice();
    peer.billing = Mood.FAILING;
    HttpResponse<String> answer =
        alice.get("/accounts/alice/events?rows=5", "Accept", "text/event-stream");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).isEmpty();
  }

  @Test
  void malformedParametersAreABadRequest() {
    Visitor alice = Visitor.alice();
    for (String path : new String[] {"/accounts/alice/events?rows=x", "/accounts/alice/events"}) {
      assertThat(alice.get(path, "Accept", "text/event-stream").statusCode()).isEqualTo(400);
    }
  }

  private static double failures(String peer, String reason) {
    return Metrics.value(
        "viaduct_webgui_peer_failures_total", "peer=\"" + peer + "\"", "reason=\"" + reason + "\"");
  }
}
