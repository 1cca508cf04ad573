package io.viaduct.sip.useragent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.sip.HostPort;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.useragent.UserAgentState.Phase;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Sends requests to a user agent from its registrar, an endpoint that accepts all requests.
@Timeout(60)
class UserAgentTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private static final String LOCAL_TAG = "registrars-tag";

  private final List<SessionGrant> grants = new CopyOnWriteArrayList<>();
  private final List<InstantMessage> messages = new CopyOnWriteArrayList<>();
  private final List<SipRequest> requests = new CopyOnWriteArrayList<>();
  private SipEndpoint registrar;
  private UserAgent agent;

  private final class Listener implements UserAgentListener {
    private final boolean reads;

    Listener(boolean reads) {
      this.reads = reads;
    }

    @Override
    public boolean takesMessages() {
      return reads;
    }

    @Override
    public void onSessionGrant(SessionGrant grant) {
      grants.add(grant);
    }

    @Override
    public void onMessage(InstantMessage message) {
      messages.add(message);
    }
  }

  @BeforeEach
  void listen() throws Exception {
    registrar =
        SipEndpoint.start(SipEndpointSettings.client(ANY), InstantSource.system(), this::accept);
  }

  @AfterEach
  void stop() {
    agent.close();
    registrar.close();
  }

  private void accept(IncomingRequest request) {
    requests.add(request.message());
    SipResponse ok = SipResponse.to(request.message(), 200);
    request.answer(ok.withToTag(LOCAL_TAG).with("Expires", "600"));
  }

  private void start(boolean reads) throws Exception {
    agent =
        UserAgent.start(
            UserAgentSettings.of(
                "ims.test",
                "alice",
                "not asked for",
                new HostPort("127.0.0.1", registrar.port()),
                Transport.UDP,
                SipEndpointSettings.client(ANY)),
            InstantSource.system(),
            new Listener(reads));
    agent.register();
    agent.subscribeSession(new byte[32]);
    await().until(() -> agent.state().subscription() == Phase.ACTIVE);
  }

  private SipRequest last(String method) {
    return requests.stream().filter(r -> r.method().equals(method)).toList().getLast();
  }

  private int send(SipRequest request) throws Exception {
    SipFlow to =
        new SipFlow(
            Transport.UDP, new InetSocketAddress(InetAddress.getLoopbackAddress(), agent.port()));
    return registrar.send(request, to).get(30, TimeUnit.SECONDS).status();
  }

  private int notify(int cseq) throws Exception {
    SipRequest subscribe = last("SUBSCRIBE");
    return send(
        new SipRequest(
                "NOTIFY",
                "sip:alice@127.0.0.1",
                SipHeaders.NONE
                    .with("Max-Forwards", "70")
                    .with("From", "<sip:snapt@ims.test>;tag=" + LOCAL_TAG)
                    .with("To", subscribe.headers().require("From"))
                    .with("Call-ID", subscribe.callId())
                    .with("CSeq", cseq + " NOTIFY")
                    .with("Event", "snapt-session")
                    .with("Subscription-State", "active;expires=600"))
            .withBody(
                "application/json",
                SipBody.of(
                    """
                    {"sid":"s","relays":[],"token":"t","kid":"k","exp":%d,"reportSec":5,"icid":"i"}
                    """
                        .formatted(System.currentTimeMillis() + 600_000))));
  }

  private int message() throws Exception {
    return send(
        new SipRequest(
                "MESSAGE",
                "sip:alice@127.0.0.1",
                SipHeaders.NONE
                    .with("Max-Forwards", "70")
                    .with("From", "<sip:bob@ims.test>;tag=1")
                    .with("To", "<sip:alice@ims.test>")
                    .with("Call-ID", SipEndpoint.token())
                    .with("CSeq", "1 MESSAGE"))
            .withBody("text/plain", SipBody.of("hello")));
  }

  @Test
  void aGrantThatCrossesTheEndOfTheSubscriptionIsNotTaken() throws Exception {
    start(true);
    assertThat(notify(1)).isEqualTo(200);
    assertThat(grants).hasSize(1);
    agent.deregister().get(30, TimeUnit.SECONDS);
    assertThat(notify(2)).isEqualTo(481);
    assertThat(grants).hasSize(1);
  }

  @Test
  void oneThatReadsNoMessagesSaysSoWhenItRegistersAndWhenItGetsOne() throws Exception {
    start(false);
    assertThat(last("REGISTER").headers().require("Contact"))
        .endsWith(";methods=\"NOTIFY,OPTIONS\"");
    assertThat(message()).isEqualTo(405);
    assertThat(messages).isEmpty();
  }

  @Test
  void oneThatReadsMessagesSaysSoToo() throws Exception {
    start(true);
    assertThat(last("REGISTER").headers().require("Contact"))
        .endsWith(";methods=\"MESSAGE,NOTIFY,OPTIONS\"");
    assertThat(message()).isEqualTo(200);
    assertThat(messages)
        .containsExactly(new InstantMessage("sip:bob@ims.test", "text/plain", "hello"));
  }
}
