package io.viaduct.controlbench;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
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
import io.viaduct.sip.endpoint.SipStatistics;
import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.guard.MessageGuard;
import io.viaduct.sip.useragent.SessionGrant;
import io.viaduct.sip.useragent.SharingUserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.sip.useragent.UserAgentSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A device's user agent on its socket, with a registrar on a real SIP endpoint.
@Timeout(60)
class DeviceSocketTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final EventLoop loop =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory()).next();
  private final FleetCounts counts = new FleetCounts();
  private final LinkedBlockingQueue<SessionGrant> grants = new LinkedBlockingQueue<>();
  private final LinkedBlockingQueue<SipResponse> answers = new LinkedBlockingQueue<>();
  private SipEndpoint registrar;

  @BeforeEach
  void start() throws Exception {
    registrar =
        SipEndpoint.start(SipEndpointSettings.client(ANY), InstantSource.system(), this::serve);
  }

  @AfterEach
  void stop() {
    registrar.close();
    loop.parent().shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private void serve(IncomingRequest request) {
    SipRequest message = request.message();
    SipResponse ok = SipResponse.to(message, 200);
    switch (message.method()) {
      case "REGISTER" ->
          request.answer(
              ok.with("Contact", message.headers().require("Contact")).with("Expires", "600"));
      case "SUBSCRIBE" -> {
        request.answer(
            ok.withToTag("bridge").with("Contact", "<sip:snapt@ims.test>").with("Expires", "600"));
        notify(message, request.flow());
      }
      default -> request.answer(200);
    }
  }

  private void notify(SipRequest subscribe, SipFlow to) {
    String body =
        """
        {"sid": "1", "relays": [], "token": "dG9rZW4", "kid": "k", "exp": 4102444800000,
         "reportSec": 60, "icid": "i"}
        """;
    SipHeaders headers =
        SipHeaders.NONE
            .with("Max-Forwards", "70")
            .with("From", subscribe.headers().require("To") + ";tag=bridge")
            .with("To", subscribe.headers().require("From"))
            .with("Call-ID", subscribe.callId())
            .with("CSeq", "1 NOTIFY")
            .with("Event", "snapt-session")
            .with("Subscription-State", "active;expires=600");
    String target = subscribe.headers().require("Contact").replaceAll("^<|>.*$", "");
    var unused =
        registrar
            .send(
                new SipRequest("NOTIFY", target, headers)
                    .withBody("application/json", SipBody.of(body)),
                to)
            .thenAccept(answers::add);
  }

  @Test
  void aDeviceRegistersKeepsItsFlowAliveAndTakesItsToken() throws Exception {
    DeviceSocket socket =
        new DeviceSocket(
            loop, new MessageGuard(GuardLimits.STANDARD), new HostPort("127.0.0.1", 5060), counts);
    EpollDatagramChannel channel =
        (EpollDatagramChannel)
            new Bootstrap()
                .group(loop)
                .channel(EpollDatagramChannel.class)
                .handler(socket)
                .bind(ANY)
                .sync()
                .channel();
    SharingUserAgent agent =
        new SharingUserAgent(
            UserAgentSettings.of(
                "ims.test",
                "device-1",
                "secret",
                new HostPort("127.0.0.1", registrar.port()),
                Transport.UDP,
                SipEndpointSettings.client(ANY)),
            InstantSource.system(),
            RandomGenerator.getDefault(),
            socket,
            loop,
            new UserAgentListener() {
              @Override
              public void onSessionGrant(SessionGrant grant) {
                grants.add(grant);
              }
            });
    loop.submit(() -> socket.open(channel, agent::onRequest)).sync();
    agent.begin(new byte[32]);
    var unused = loop.scheduleAtFixedRate(agent::tick, 50, 50, TimeUnit.MILLISECONDS);
    assertThat(grants.poll(30, TimeUnit.SECONDS)).isNotNull();
    SipResponse answer = answers.poll(30, TimeUnit.SECONDS);
    assertThat(answer).isNotNull();
    assertThat(answer.status()).isEqualTo(200);
    assertThat(registrar.statistics().of(SipStatistics.Count.STUN_ANSWERED)).isPositive();
    CompletableFuture<Long> sent = new CompletableFuture<>();
    loop.execute(() -> sent.complete(counts.sent));
    assertThat(sent.get()).as("REGISTER and SUBSCRIBE at least").isGreaterThanOrEqualTo(2);
  }
}
