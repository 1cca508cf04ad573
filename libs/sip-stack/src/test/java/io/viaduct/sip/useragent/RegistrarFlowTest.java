package io.viaduct.sip.useragent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.sip.HostPort;
import io.viaduct.sip.Transport;
import io.viaduct.sip.digest.DigestAlgorithm;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.useragent.UserAgentState.Phase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class RegistrarFlowTest implements UserAgentListener {
  private static final Duration NEVER = Duration.ofHours(1);

  private final Queue<String> details = new ConcurrentLinkedQueue<>();
  private final AtomicLong skippedMs = new AtomicLong(); // the agent's clock is ahead by this
  private TestRegistrar registrar;
  private UserAgent agent;

  @Override
  public void onState(UserAgentState state) {
    details.add(state.detail());
  }

  @AfterEach
  void stop() {
    agent.close();
    registrar.close();
  }

  private void start(Transport transport, boolean showsBindings, Duration keepAlive)
      throws IOException {
    start(InetAddress.getLoopbackAddress().getHostAddress(), transport, showsBindings, keepAlive);
  }

  private void start(String host, Transport transport, boolean showsBindings, Duration keepAlive)
      throws IOException {
    registrar = new TestRegistrar(showsBindings);
    InetAddress here = InetAddress.getLoopbackAddress();
    agent =
        UserAgent.start(
            new UserAgentSettings(
                "ims.test",
                "alice",
                "not asked for",
                new HostPort(host, registrar.port()),
                transport,
                Duration.ofMinutes(10),
                Duration.ofMillis(700),
                keepAlive,
                Duration.ofSeconds(1),
                ProbePace.USUAL,
                Set.of(DigestAlgorithm.SHA_256),
                SipEndpointSettings.client(new InetSocketAddress(here, 0))),
            () -> Instant.now().plusMillis(skippedMs.get()),
            this);
    agent.register();
    agent.subscribeSession(new byte[32]);
    awaitActive();
  }

  private void awaitActive() {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> agent.state().isRegistered() && agent.state().subscription() == Phase.ACTIVE);
  }

  private void awaitBoth(int times) {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> registrar.count("REGISTER") >= times && registrar.count("SUBSCRIBE") >= times);
    awaitActive();
  }

  @ParameterizedTest
  @EnumSource(names = {"UDP", "TCP"})
  void ofANamesAddressesTheOneThatAnswersIsFound(Transport transport) throws Exception {
    start(TestNames.TWO_ADDRESSES, transport, true, NEVER);
    assertThat(registrar.count("REGISTER")).isPositive();
  }

  @Test
  void aClosedConnectionIsNoticedAtOnceAndTheRegistrationMadeAgain() throws Exception {
    start(Transport.TCP, true, NEVER);
    registrar.goAway();
    await().until(() -> !agent.state().isRegistered());
    assertThat(details).contains("registration lost: the connection was closed");
    registrar.comeBack();
    awaitBoth(2);
  }

  @Test
  void aRegistrarThatDoesNotAnswerOverUdpIsNoticedByTheNextLook() throws Exception {
    start(Transport.UDP, true, Duration.ofMillis(300));
    registrar.goAway();
    await().atMost(Duration.ofSeconds(20)).until(() -> !agent.state().isRegistered());
    assertThat(details).contains("registration lost: no answer in 700 ms");
    registrar.comeBack();
    awaitBoth(2);
  }

  @Test
  void aRegistrarThatWasStartedAgainBetweenTwoLooksIsFoundToHaveForgottenUs() throws Exception {
    start(Transport.UDP, true, Duration.ofMillis(500));
    registrar.goAway();
    registrar.comeBack();
    awaitBoth(2);
    assertThat(details).contains("registration lost: the registrar was started again");
  }

  @Test
  void aRegistrarIsWatchedByStunAloneWhileItAnswers() throws Exception {
    start(Transport.UDP, true, Duration.ofMillis(50));
    await().until(() -> registrar.stunAnswers() >= 5);
    assertThat(registrar.count("REGISTER")).isEqualTo(1);
    assertThat(registrar.count("fetch")).isZero();
    assertThat(agent.state().isRegistered()).isTrue();
  }

  @Test
  void aRegistrationIsFollowedByThreeProbesWhoseAnswersRepeatTheirTimestamp() throws Exception {
    start(Transport.UDP, true, NEVER);
    agent.tunnel(true);
    await().atMost(Duration.ofSeconds(20)).until(() -> agent.roundTrip().answered() == 3);
    assertThat(agent.roundTrip().sent()).isEqualTo(3);
    assertThat(agent.roundTrip().lastMs()).isBetween(0.0, 20_000.0);
    assertThat(agent.roundTrip().recentMs()).isBetween(0.0, 20_000.0);
    assertThat(agent.roundTrip().lossPercent()).isZero();
    assertThat(agent.roundTrip().measuredMs()).isNotNull();
    assertThat(agent.roundTrip().isAlone()).isFalse();
  }

  private void awaitProbes(int answered) {
    await().atMost(Duration.ofSeconds(20)).until(() -> agent.roundTrip().answered() == answered);
  }

  @Test
  void whileNoTunnelStandsProbesGoOnAndShowThatSipAlonePasses() throws Exception {
    start(Transport.UDP, true, NEVER);
    agent.tunnel(true);
    awaitProbes(3);
    agent.tunnel(false);
    skippedMs.addAndGet(10_000);
    awaitProbes(4);
    await().until(() -> agent.roundTrip().isAlone());
    skippedMs.addAndGet(30_000);
    awaitProbes(5);
    assertThat(agent.roundTrip().isAlone()).isTrue();
    agent.tunnel(true);
    await().until(() -> !agent.roundTrip().isAlone());
    assertThat(agent.roundTrip().sent()).isEqualTo(5);
  }

  @Test
  void besideATunnelAProbeFollowsInEachLongPause() throws Exception {
    start(Transport.TCP, true, Duration.ofHours(4));
    agent.tunnel(true);
    awaitProbes(3);
    skippedMs.addAndGet(ProbePace.USUAL.besideTunnel().toMillis());
    // The registration is renewed too, and three probes follow it.
    await().atMost(Duration.ofSeconds(20)).until(() -> agent.roundTrip().answered() >= 4);
    assertThat(agent.roundTrip().isAlone()).isFalse();
  }

  @Test
  void aRegistrarThatNeverListsBindingsIsBelievedByItsAnswersAlone() throws Exception {
    start(Transport.TCP, false, Duration.ofMillis(25));
    await().until(() -> registrar.count("fetch") >= 5);
    assertThat(registrar.count("REGISTER")).isEqualTo(1);
    assertThat(agent.state().isRegistered()).isTrue();
  }
}
