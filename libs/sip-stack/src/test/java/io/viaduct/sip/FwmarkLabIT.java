package io.viaduct.sip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.epoll.Epoll;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// SO_MARK on the sockets of an endpoint; needs CAP_NET_ADMIN.
@Timeout(60)
class FwmarkLabIT {
  @Test
  void anEndpointWithAMarkStillSpeaksOverBothTransports() throws Exception {
    assumeThat(Epoll.isAvailable()).as("skipped: Netty's epoll transport is needed").isTrue();
    SipEndpointSettings plain =
        SipEndpointSettings.client(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    try (SipEndpoint server =
            SipEndpoint.start(plain, InstantSource.system(), request -> request.answer(200));
        SipEndpoint client = marked(plain)) {
      for (Transport transport : List.of(Transport.UDP, Transport.TCP)) {
        SipRequest options =
            new SipRequest(
                "OPTIONS",
                "sip:ims.test",
                SipHeaders.NONE
                    .with("From", "<sip:a@ims.test>;tag=1")
                    .with("To", "<sip:ims.test>")
                    .with("Call-ID", SipEndpoint.token())
                    .with("CSeq", "1 OPTIONS")
                    .with("Max-Forwards", "70"));
        SipFlow flow =
            new SipFlow(
                transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
        assertThat(client.send(options, flow).get(20, TimeUnit.SECONDS).status()).isEqualTo(200);
      }
    }
  }

  private static SipEndpoint marked(SipEndpointSettings plain) {
    try {
      return SipEndpoint.start(
          plain.withFwmark(42), InstantSource.system(), request -> request.answer(501));
    } catch (IOException e) {
      assumeThat(e).as("skipped: SO_MARK needs CAP_NET_ADMIN").isNull();
      throw new AssertionError(e);
    }
  }
}
