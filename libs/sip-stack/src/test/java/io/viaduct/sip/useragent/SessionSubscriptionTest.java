package io.viaduct.sip.useragent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.viaduct.sip.HostPort;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The route set of a subscription that comes by the proxies of a core.
class SessionSubscriptionTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final SipFlow proxy = new SipFlow(Transport.UDP, ANY);
  private SipEndpoint endpoint;
  private LocalIdentity identity;
  private SessionSubscription subscription;

  @BeforeEach
  void start() throws Exception {
    SipEndpointSettings client = SipEndpointSettings.client(ANY);
    UserAgentSettings settings =
        UserAgentSettings.of(
            "ims.test", "alice", "x", new HostPort("127.0.0.1", 1), Transport.UDP, client);
    endpoint = SipEndpoint.start(client, InstantSource.system(), request -> request.answer(200));
    identity = new LocalIdentity(settings, endpoint, List.of());
    subscription = new SessionSubscription(settings, identity, new byte[32]);
  }

  @AfterEach
  void stop() {
    endpoint.close();
  }

  private static SipResponse accepted(SipRequest subscribe) {
    return SipResponse.to(subscribe, 200)
        .withToTag("bridge")
        .with("Contact", "<sip:snapt@192.0.2.20:5060>");
  }

  @Test
  void aRefreshGoesByTheRecordRouteOfTheFirstAnswerInReverse() {
    SipRequest first = subscription.subscribe(proxy, 600);
    assertThat(first.headers().all("Route")).isEmpty();
    subscription.established(
        accepted(first)
            .with("Record-Route", "<sip:scscf.ims.test;lr>, <sip:pcscf.ims.test:5070;lr>"));

    SipRequest refresh = subscription.subscribe(proxy, 600);
    List<String> routes = List.of("<sip:pcscf.ims.test:5070;lr>", "<sip:scscf.ims.test;lr>");
    assertThat(refresh.headers().all("Route")).isEqualTo(routes);
    assertThat(refresh.uri()).isEqualTo("sip:snapt@192.0.2.20:5060");

    subscription.established(accepted(refresh).with("Record-Route", "<sip:other.test;lr>"));
    assertThat(subscription.subscribe(proxy, 600).headers().all("Route")).isEqualTo(routes);

    subscription.newDialog();
    assertThat(subscription.subscribe(proxy, 600).headers().all("Route")).isEmpty();
  }

  @Test
  void theServiceRouteLeadsToTheNotifierAndTheRecordRouteInsideTheDialog() {
    SipRequest before = subscription.subscribe(proxy, 600);
    identity
        .serviceRoute()
        .granted(
            SipResponse.to(before, 200).with("Service-Route", "<sip:scscf.ims.test;lr>"), proxy);
    SipRequest first = subscription.subscribe(proxy, 600);
    assertThat(first.headers().all("Route")).containsExactly("<sip:scscf.ims.test;lr>");
    SipFlow other = new SipFlow(Transport.TCP, ANY);
    assertThat(subscription.subscribe(other, 600).headers().all("Route"))
        .as("another registrar, or another transport")
        .isEmpty();
    subscription.established(accepted(first));
    assertThat(subscription.subscribe(proxy, 600).headers().all("Route")).isEmpty();
    subscription.newDialog();
    identity.serviceRoute().forget();
    assertThat(subscription.subscribe(proxy, 600).headers().all("Route")).isEmpty();
  }

  @Test
  void aRecordRouteThatCannotBeFollowedEstablishesNoDialog() {
    SipRequest first = subscription.subscribe(proxy, 600);
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> subscription.established(accepted(first).with("Record-Route", "<tel:+39061>")));
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            subscription.established(
                accepted(first).with("Record-Route", "<sip:a;lr>,".repeat(17))));
  }
}
