package io.viaduct.cnapt.control;

import static io.viaduct.cnapt.control.TestAgent.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.pkitesting.X509Bundle;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.v1.ControlMessage;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnaptRestartTest {
  @TempDir Path folder;

  private TestAgent agent;
  private X509Bundle certificate;
  private TestSnapt home;
  private TestSnapt other;

  @BeforeEach
  void twoSnaptsAndAnAgentAtTheFirst() throws Exception {
    agent = new TestAgent(folder);
    certificate = TestSnapt.certificate(agent.authority, "snapt-1", HERE);
    home = start(certificate, 0, "snapt-1", "first");
    other = start(TestSnapt.certificate(agent.authority, "snapt-2", HERE), 0, "snapt-2", "other");
  }

  @AfterEach
  void stop() {
    agent.close();
    home.close();
    other.close();
  }

  private static TestSnapt start(X509Bundle certificate, int port, String id, String session)
      throws Exception {
    return new TestSnapt(
        certificate,
        ControlFrame.ALPN,
        port,
        (to, message) -> {
          if (message.hasHello()) {
            ControlMessage.Builder welcome = TestSnapt.welcome(session, false);
            welcome.getWelcomeBuilder().setSnaptId(id);
            to.send(welcome);
          }
        });
  }

  private void connect(Duration patience) {
    agent.connect(
        new SnaptSettings(HERE, home.port(), "snapt-1"),
        TestAgent.settings(Duration.ofSeconds(10), patience),
        new Snapt("snapt-2", HERE, other.port()));
    await().until(() -> agent.welcomed.size() == 1);
  }

  private void awaitRefusals(int more) {
    long before = agent.client().counts().failures(ControlFailure.UNREACHABLE);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> agent.client().counts().failures(ControlFailure.UNREACHABLE) >= before + more);
  }

  @Test
  void aSnaptWhosePortRefusesForAWhileIsWaitedForAndGivesANewSession() throws Exception {
    connect(Duration.ofMinutes(1));
    int port = home.port();
    home.close();
    awaitRefusals(2 * Candidates.ATTEMPTS_MAX);
    home = start(certificate, port, "snapt-1", "second");
    await().atMost(Duration.ofSeconds(10)).until(() -> agent.welcomed.size() == 2);
    assertThat(agent.welcomed)
        .extracting(by -> by.snapt().controlPort() + " " + by.welcome().getSessionId())
        .containsExactly(port + " first", port + " second");
    assertThat(other.clients).isEmpty();
  }

  @Test
  void aSnaptThatStaysAwayIsGivenUpWhenPatienceIsOver() {
    connect(Duration.ofMillis(700));
    home.close();
    await().atMost(Duration.ofSeconds(10)).until(() -> agent.welcomed.size() == 2);
    assertThat(agent.welcomed)
        .extracting(by -> by.welcome().getSessionId())
        .containsExactly("first", "other");
    // The pauses are 200 to 500 ms, so two to five of them fit into the patience.
    assertThat(agent.client().counts().failures(ControlFailure.UNREACHABLE)).isBetween(2L, 6L);
  }

  @Test
  void aSnaptIsNotGivenUpWhileFlowsLiveByItAlthoughItsControlPortIsAway() {
    agent.livesWithoutControl = true;
    connect(Duration.ofMillis(300));
    home.close();
    awaitRefusals(6);
    assertThat(agent.timesGivenUp).isZero();
    assertThat(other.clients).isEmpty();
    agent.livesWithoutControl = false;
    await().atMost(Duration.ofSeconds(10)).until(() -> agent.welcomed.size() == 2);
    assertThat(agent.timesGivenUp).isEqualTo(1);
  }

  @Test
  void aSnaptThatStaysAwayHasNoFollowerIfTheDeviceHasEnoughSessions() {
    agent.isSurplus = true;
    agent.givesUp = true;
    connect(Duration.ofMillis(300));
    home.close();
    await().atMost(Duration.ofSeconds(10)).until(() -> agent.slept.size() == 1);
    assertThat(agent.timesGivenUp).isEqualTo(1);
    awaitSleep();
  }

  @Test
  void aSessionOfASurplusLineEndsWithItsLastFlow() {
    connect(Duration.ofMinutes(1));
    agent.isSurplus = true;
    agent.mayLeave = false;
    agent.client().moveOn("it drains");
    agent.onLoop(() -> true);
    assertThat(agent.slept).as("a flow is open").isEmpty();
    agent.mayLeave = true;
    agent.client().moveOn("it drains");
    agent.onLoop(() -> true);
    assertThat(agent.slept).containsExactly("it drains");
    await().until(() -> home.received.stream().anyMatch(ControlMessage::hasGoodbye));
    awaitSleep();
  }

  // Nothing begins a session before the client is opened.
  private void awaitSleep() {
    agent.isSurplus = false;
    Snapt second = new Snapt("snapt-2", HERE, other.port());
    agent.client().present(TestAgent.TOKEN, List.of(second), Map.of());
    agent.client().listed(List.of(second));
    agent.client().networkChanged();
    agent.client().pathDead();
    agent.client().sleep("it does already");
    agent.onLoop(() -> true);
    assertThat(other.clients).isEmpty();
    assertThat(agent.lost).doesNotContain(ControlFailure.NETWORK_CHANGED);
    agent
        .client()
        .open(new HandshakeRace.Winner(second, new ControlWay(null, InetAddress.ofLiteral(HERE))));
    await().atMost(Duration.ofSeconds(10)).until(() -> agent.welcomed.size() == 2);
    assertThat(other.clients).hasSize(1);
    assertThat(other.received.peek().getHello().getResumeSessionId()).isEmpty();
    agent.client().sleep("it has a session");
    agent.onLoop(() -> true);
    assertThat(agent.slept).hasSize(2);
  }

  @Test
  void aSessionThatIsGivenUpIsNotAskedForAgain() throws Exception {
    agent.givesUp = true;
    connect(Duration.ofMillis(300));
    int port = home.port();
    other.close();
    home.close();
    await().atMost(Duration.ofSeconds(10)).until(() -> agent.timesGivenUp > 0);
    List<String> resumed = new CopyOnWriteArrayList<>();
    home =
        new TestSnapt(
            certificate,
            ControlFrame.ALPN,
            port,
            (to, message) -> {
              if (message.hasHello()) {
                resumed.add(message.getHello().getResumeSessionId());
                to.send(TestSnapt.welcome("second", false));
              }
            });
    await().atMost(Duration.ofSeconds(10)).until(() -> agent.welcomed.size() == 2);
    assertThat(resumed).containsExactly("");
  }

  @Test
  void aChangeOfNetworkGivesHomeAllPatienceAgain() throws Exception {
    connect(Duration.ofMillis(300));
    int port = home.port();
    other.close();
    home.close();
    awaitRefusals(6);
    home = start(certificate, port, "snapt-1", "second");
    agent.client().networkChanged();
    await().atMost(Duration.ofSeconds(10)).until(() -> agent.welcomed.size() == 2);
    assertThat(agent.welcomed).last().extracting(Welcomed::toString).asString().contains("second");
  }
}
