package io.viaduct.webgui.tariff;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.OperatorPeer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Pages of trials in the background.
class TrialPagesTest {
  private OperatorPeer peer;
  private Visitor olga;

  @BeforeEach
  void begin() {
    peer = RunningWebgui.freshPeer().work;
    peer.trials.clear();
    olga = Visitor.operator();
  }

  @Test
  void aSimulationThatWasCutShortGoesOnInTheBackgroundUntilItIsStopped() {
    peer.begin("5", "summer");
    peer.trialIsComplete = false;
    String editor = olga.get("/tariffs/drafts/5").body();
    Map<String, String> form = new HashMap<>(Map.of("_csrf", Visitor.hidden(editor, "_csrf")));
    form.put("from", "2026-11-01T00:00");
    form.put("to", "2026-11-08T00:00");
    HttpResponse<String> begun = olga.post("/tariffs/drafts/5/trials", form);
    assertThat(begun.headers().firstValue("Location").orElse("")).endsWith("/tariffs/trials/7");
    assertThat(peer.changes)
        .anySatisfy(change ->
            assertThat(change)
                .startsWith("trial ")
                .contains("\"from\":\"2026-11-01T00:00:00Z\"", "\"name\":\"summer\""));
    HttpResponse<String> page = olga.get("/tariffs/trials/7");
    assertThat(page.headers().firstValue("Refresh")).contains("3");
    assertThat(Visitor.text(page.body(), "trial-state")).startsWith("Running");
    olga.post("/tariffs/trials/7/stop", Map.of("_csrf", Visitor.hidden(page.body(), "_csrf")));
    HttpResponse<String> stopped = olga.get("/tariffs/trials/7");
    assertThat(stopped.headers().firstValue("Refresh")).isEmpty();
    assertThat(Visitor.text(stopped.body(), "trial-state")).startsWith("It was stopped");
    assertThat(Visitor.text(stopped.body(), "trial-before")).isEqualTo("41.3 den");
  }

  @Test
  void aTrialThatIsDoneShowsItsSumsAndTheListNamesIt() {
    peer.trials.add(peer.trialRun("7", "summer", "done"));
    String page = olga.get("/tariffs/trials/7").body();
    assertThat(page).contains("video-call").doesNotContain("trial-state");
    assertThat(olga.get("/tariffs/trials").body()).contains("href=\"/tariffs/trials/7\"", "summer");
    assertThat(olga.get("/tariffs/trials/8").statusCode()).isEqualTo(404);
  }

  @Test
  void usersHaveNoSuchPages() {
    assertThat(Visitor.alice().get("/tariffs/trials").statusCode()).isEqualTo(403);
  }
}
