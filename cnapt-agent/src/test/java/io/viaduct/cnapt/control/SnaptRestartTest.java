package io.viaduct.cnapt.control;

import static io.viaduct.cnapt.control.TestAgent.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.pkitesting.X509Bundle;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.v1.ControlMessage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
