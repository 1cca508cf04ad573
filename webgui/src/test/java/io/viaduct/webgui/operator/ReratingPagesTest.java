package io.viaduct.webgui.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.OperatorPeer;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReratingPagesTest {
  private PeerServer peer;
  private Visitor olga;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
    olga = Visitor.operator();
  }

  private Map<String, String> form(String action, String from) {
    return new HashMap<>(
        Map.of(
            "_csrf",
            Visitor.hidden(olga.get("/reratings").body(), "_csrf"),
            "id",
            "november-fee",
            "from",
            from,
            "to",
            "2026-11-08T00:00",
            "account",
            "alice",
            "tariffVersion",
            "2",
            "reason",
            "the fee was wrong",
            "action",
            action));
  }

  @Test
  void thePreviewShowsSumsAndDifferencesAndBeginsNothing() {
    olga.post("/reratings", form("preview", "2026-11-01T00:00"));
    String page = olga.get("/reratings").body();
    assertThat(page)
        .contains("data-testid=\"rerating-trial\"", "data-testid=\"rerating-change\"")
        .contains("value=\"november-fee\"");
    assertThat(peer.work.changes)
        .singleElement()
        .asString()
        .startsWith("preview ")
        .contains("\"from\":\"2026-11-01T00:00:00Z\"", "\"tariffVersion\":2");
  }

  @Test
  void aPreviewOfALongTimeGoesOnInTheBackground() {
    assertThat(
            olga.post("/reratings", form("preview-whole", "2026-11-01T00:00"))
                .headers()
                .firstValue("Location")
                .orElse(""))
        .endsWith("/tariffs/trials/7");
    assertThat(peer.work.changes)
        .singleElement()
        .asString()
        .startsWith("trial ")
        .contains("\"tariffVersion\":2", "\"account\":\"alice\"");
  }

  @Test
  void aRunIsBegunStoppedAndResumed() {
    olga.post("/reratings", form("run", "2026-11-01T00:00"));
    assertThat(olga.get("/reratings").body()).contains("data-testid=\"done\"");
    assertThat(peer.work.changes.getFirst())
        .startsWith("reratings/november-fee ")
        .contains("\"reason\":\"the fee was wrong\"");
    peer.work.reratings.add(OperatorPeer.rerating("november-fee", "running"));
    peer.work.reratings.add(OperatorPeer.rerating("october", "stopped"));
    String page = olga.get("/reratings").body();
    assertThat(Visitor.text(page, "rerating-changed")).isEqualTo("12");
    Map<String, String> csrf = Map.of("_csrf", Visitor.hidden(page, "_csrf"));
    olga.post("/reratings/november-fee/stop", csrf);
    olga.post("/reratings/october/resume", csrf);
    assertThat(peer.work.changes)
        .anySatisfy(change -> assertThat(change).startsWith("reratings/november-fee/stop"))
        .anySatisfy(change -> assertThat(change).startsWith("reratings/october/resume"));
  }

  @Test
  void aWrongTimeIsMendedOnThePage() {
    olga.post("/reratings", form("run", "soon"));
    assertThat(olga.get("/reratings").body())
        .contains("data-problem=\"outcome.time\"", "value=\"november-fee\"");
    assertThat(peer.work.changes).isEmpty();
  }

  @Test
  void usersHaveNoSuchPage() {
    Visitor alice = Visitor.alice();
    assertThat(alice.get("/reratings").statusCode()).isEqualTo(403);
    assertThat(alice.get("/").body()).doesNotContain("/reratings");
  }
}
