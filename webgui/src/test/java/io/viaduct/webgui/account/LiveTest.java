package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.webgui.Metrics;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LiveTest {
  private static final String STREAM = "/accounts/alice/events?rows=5";

  private PeerServer peer;

  @BeforeAll
  static void patience() {
    Awaitility.setDefaultTimeout(Duration.ofSeconds(30)); // for a machine that does other work too
  }

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
    await().until(() -> peer.streams.isEmpty());
  }

  @Test
  void streamStartsWithThePresentStateSoThatNothingIsMissedSinceThePage() {
    try (EventStream live = EventStream.open(Visitor.alice(), STREAM)) {
      assertThat(live.status()).isEqualTo(200);
      await().until(() -> live.events().size() == 1);
      assertThat(live.events().getFirst().name()).isEqualTo("update");
      assertThat(live.events().getFirst().data())
          .contains("<div id=\"balance\"", "data-microdenarii=\"12345678\"", "<div id=\"charges\"");
    }
  }

  @Test
  void chargeThatIsBookedArrivesWithTheNewBalance() {
    try (EventStream live = EventStream.open(Visitor.alice(), STREAM)) {
      await().until(() -> peer.streams.size() == 1 && live.events().size() == 1);
      peer.book(PeerServer.charge("c9", "alice"));
      await().until(() -> live.events().getLast().data().contains("data-charge-id=\"c9\""));
      assertThat(live.events().getLast().data())
          .contains("data-microdenarii=\"" + (12_345_678 - 12_745_279) + "\"")
          .contains("href=\"/charges/c9\"");
    }
  }

  @Test
  void streamOfTheListOfChargesCarriesThemAndTheirSumsAndNothingElse() {
    try (EventStream live = EventStream.open(Visitor.alice(), STREAM + "&page=charges&by=device")) {
      await().until(() -> peer.streams.size() == 1 && live.events().size() == 1);
      peer.usage.put("total", PeerServer.sums(null, "7", "4000000"));
      peer.book(PeerServer.charge("c9", "alice"));
      await().until(() -> live.events().getLast().data().contains("data-charge-id=\"c9\""));
      assertThat(live.events().getLast().data())
          .startsWith("<div id=\"charges\"")
          .contains("id=\"sums-total\"", "4.00", "id=\"groups\"")
          .doesNotContain("data-testid=\"balance\"");
      assertThat(peer.asked)
          .anyMatch(address -> address.contains("by=day%2Cdevice"))
          .noneMatch(address -> address.contains("by=hour") || address.contains("/running"));
    }
  }

  @Test
  void burstOfChargesBecomesFewUpdatesThatEndInTheLastState() {
    try (EventStream live = EventStream.open(Visitor.alice(), STREAM)) {
      await().until(() -> peer.streams.size() == 1 && !live.events().isEmpty());
      for (int i = 0; i < 200; i++) {
        peer.book(PeerServer.charge("burst-" + i, "alice"));
      }
      await().until(() -> live.events().getLast().data().contains("data-charge-id=\"burst-199\""));
      assertThat(live.events()).hasSizeLessThan(100);
    }
  }

  @Test
  void textOfOthersIsEscapedInUpdatesToo() {
    Map<String, Object> charge = PeerServer.charge("c9", "alice");
    charge.put("application", "<script>alert(1)</script>\n\nevent: ended\ndata: x");
    try (EventStream live = EventStream.open(Visitor.alice(), STREAM)) {
      await().until(() -> peer.streams.size() == 1 && !live.events().isEmpty());
      peer.book(charge);
      await().until(() -> live.events().getLast().data().contains("data-charge-id=\"c9\""));
      assertThat(live.events()).extracting("name").containsOnly("update");
      assertThat(live.events().getLast().data()).doesNotContain("<script>");
    }
  }

  @Test
  void logoutEndsTheStreamAndTellsItsPage() {
    Visitor alice = Visitor.alice();
    try (EventStream live = EventStream.open(alice, STREAM)) {
      await().until(() -> live.events().size() == 1);
      alice.post("/logout", Map.of("_csrf", Visitor.hidden(alice.get("/").body(), "_csrf")));
      await().until(live::ended);
      assertThat(live.events().getLast().name()).isEqualTo("ended");
      await().until(() -> peer.streams.isEmpty() || endsUpstream());
    }
  }

  @Test
  void tokenThatBillingForgotEndsTheStreamAtTheNextUpdate() {
    try (EventStream live = EventStream.open(Visitor.alice(), STREAM)) {
      await().until(() -> live.events().size() == 1);
      peer.tokens.clear();
      peer.tell("event: balance\ndata: {}\n\n");
      await().until(live::ended);
      assertThat(live.events().getLast().name()).isEqualTo("ended");
    }
  }

  @Test
  void billingThatEndsItsStreamEndsOursSoThatTheBrowserAsksAgain() {
    Visitor alice = Visitor.alice();
    try (EventStream live = EventStream.open(alice, STREAM)) {
      await().until(() -> peer.streams.size() == 1 && live.events().size() == 1);
      peer.endStreams();
      await().until(live::ended);
      assertThat(live.events()).extracting("name").doesNotContain("ended");
    }
    try (EventStream again = EventStream.open(alice, STREAM)) {
      await().until(() -> again.events().size() == 1);
    }
  }

  @Test
  void oldestLivePageOfASessionPausesWhenTheSessionOpensOneTooMany() {
    Visitor alice = Visitor.alice();
    try (EventStream first = EventStream.open(alice, STREAM);
        EventStream second = EventStream.open(alice, STREAM);
        EventStream third = EventStream.open(alice, STREAM)) {
      await().until(first::ended);
      assertThat(first.events().getLast().name()).isEqualTo("paused");
      await().until(() -> third.events().size() == 1);
      assertThat(second.ended()).isFalse();
      assertThat(Metrics.value("viaduct_webgui_live_streams")).isGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void streamOfAnotherAccountIsRefused() {
    HttpResponse<String> answer =
        Visitor.alice().get("/accounts/bob/events?rows=5", "Accept", "text/event-stream");
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(Visitor.anonymous().get(STREAM, "Accept", "text/event-stream").statusCode())
        .isEqualTo(401);
  }

  /// The peer notices a closed connection when it writes.
  private boolean endsUpstream() {
    peer.tell(": are you there\n\n");
    return false;
  }
}
