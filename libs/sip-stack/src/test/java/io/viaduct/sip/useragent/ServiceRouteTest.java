package io.viaduct.sip.useragent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.sip.HostPort;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.useragent.UserAgentState.Phase;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The requests of a user agent at a registrar that gives a Service-Route (RFC 3608).
@Timeout(60)
class ServiceRouteTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final List<SipRequest> requests = new CopyOnWriteArrayList<>();
  private volatile List<String> given = List.of();
  private SipEndpoint registrar;
  private UserAgent agent;

  @BeforeEach
  void start() throws Exception {
    registrar =
        SipEndpoint.start(SipEndpointSettings.client(ANY), InstantSource.system(), this::accept);
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
            new UserAgentListener() {});
  }

  @AfterEach
  void stop() {
    agent.close();
    registrar.close();
  }

  private void accept(IncomingRequest request) {
    requests.add(request.message());
    SipResponse answer =
        SipResponse.to(request.message(), 200).withToTag("registrar").with("Expires", "600");
    if (request.message().method().equals("REGISTER")) {
      for (String route : given) {
        answer = answer.with("Service-Route", route);
      }
    }
    request.answer(answer);
  }

  private void register() {
    agent.register();
    agent.subscribeSession(new byte[32]);
    await().until(() -> agent.state().subscription() == Phase.ACTIVE);
  }

  private void sendMessage(String text) throws Exception {
    assertThat(agent.sendMessage("bob", "text/plain", text).get(20, TimeUnit.SECONDS).status())
        .isEqualTo(200);
  }

  private Stream<SipRequest> sent(String method) {
    return requests.stream().filter(request -> request.method().equals(method));
  }

  private List<String> routeOfLastMessage() {
    return sent("MESSAGE")
        .filter(message -> !message.body().text().isEmpty())
        .toList()
        .getLast()
        .headers()
        .all("Route");
  }

  @Test
  void allRequestsExceptRegisterVisitItsProxiesInTheirOrder() throws Exception {
    given = List.of("<sip:orig@scscf.ims.test:6060;lr>, <sip:as.ims.test;lr>");
    register();
    sendMessage("hello");
    byte[] state = "{}".getBytes(StandardCharsets.UTF_8);
    agent.publish("viaduct-usage", "application/json", state).get(20, TimeUnit.SECONDS);
    await().until(() -> sent("MESSAGE").anyMatch(m -> m.headers().first("Timestamp").isPresent()));
    for (String method : List.of("SUBSCRIBE", "MESSAGE", "PUBLISH")) {
      assertThat(sent(method))
          .as(method)
          .isNotEmpty()
          .allSatisfy(request ->
              assertThat(request.headers().all("Route"))
                  .containsExactly("<sip:orig@scscf.ims.test:6060;lr>", "<sip:as.ims.test;lr>"));
    }
    agent.deregister().get(20, TimeUnit.SECONDS);
    assertThat(sent("REGISTER").count()).isGreaterThanOrEqualTo(2);
    assertThat(sent("REGISTER"))
        .allSatisfy(request -> assertThat(request.headers().all("Route")).isEmpty());
  }

  @Test
  void theNextRegistrationReplacesTheRoute() throws Exception {
    given = List.of("<sip:scscf.ims.test;lr>");
    register();
    sendMessage("hello");
    assertThat(routeOfLastMessage()).containsExactly("<sip:scscf.ims.test;lr>");
    given = List.of();
    agent.networkChanged();
    await()
        .until(() -> {
          sendMessage("hello again");
          return routeOfLastMessage().isEmpty();
        });
  }

  @Test
  void aRouteThatIsNoSipAddressIsNotFollowed() throws Exception {
    given = List.of("<tel:+39061>");
    register();
    sendMessage("hello");
    assertThat(routeOfLastMessage()).isEmpty();
  }
}
