package io.viaduct.webgui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.webgui.account.EventStream;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import java.net.URI;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/// A process with room for three sessions, from start to stop.
class SmallWebguiTest {
  @Test
  void fullProcessRefusesNewVisitorsKeepsTheOthersAndStopsWithOpenStreams() throws Exception {
    try (PeerServer peer = new PeerServer();
        ConfigurableApplicationContext context = WebguiApplication.of(small(peer)).start()) {
      URI pages =
          URI.create(
              "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port"));
      Visitor alice = new Visitor(pages);
      alice.logIn("alice", "wonder land");
      EventStream live = EventStream.open(alice, "/accounts/alice/events?rows=5");
      await().until(() -> live.events().size() == 1);
      new Visitor(pages).get("/login");
      new Visitor(pages).get("/login");

      HttpResponse<String> refused = new Visitor(pages).get("/login");
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.body()).startsWith("Too many visitors");
      assertThat(alice.get("/").statusCode()).isEqualTo(200);

      context.close();
      await().until(live::ended);
    }
  }

  private static WebguiConfiguration small(PeerServer peer) {
    WebguiConfiguration usual = RunningWebgui.configuration(peer);
    Limits limits = usual.limits();
    return new WebguiConfiguration(
        usual.http(),
        usual.billing(),
        usual.bridge(),
        usual.operations(),
        usual.logging(),
        new Limits(
            3,
            limits.sessionIdle(),
            limits.streams(),
            limits.streamsPerSession(),
            limits.streamLifetime(),
            limits.liveInterval(),
            limits.snaptRefresh(),
            limits.peerTimeout(),
            limits.answerBytes(),
            limits.chargesPerPage(),
            limits.topUpDenarii()),
        usual.telephones(),
        usual.oidc());
  }
}
