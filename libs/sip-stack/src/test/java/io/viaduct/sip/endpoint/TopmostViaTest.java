package io.viaduct.sip.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.Transport;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopmostViaTest {
  /// RFC 3581 section 4: the response goes to the source port if `rport` was asked for, else to the
  /// Via's port.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SIP/2.0/UDP 10.0.0.9:5070;branch=z;rport | 40000",
        "SIP/2.0/UDP 10.0.0.9:5070;branch=z | 5070",
        "SIP/2.0/UDP 10.0.0.9;branch=z | 5060",
        "SIP / 2.0 / UDP  [2001:db8::1]:5080 ;branch=z | 5080"
      })
  void responsesGoToTheSourceAddress(String via, int port) {
    SipFlow flow = new SipFlow(Transport.UDP, new InetSocketAddress("127.0.0.1", 40_000));
    SipRequest request =
        TopmostVia.stampSource(
            new SipRequest("OPTIONS", "sip:h", SipHeaders.NONE.with("Via", via)), flow);
    assertThat(request.headers().require("Via")).contains(";received=127.0.0.1");
    assertThat(TopmostVia.replyTo(request, flow).remote())
        .isEqualTo(new InetSocketAddress("127.0.0.1", port));
  }

  @Test
  void aForgedReceivedIsReplaced() {
    SipFlow flow = new SipFlow(Transport.UDP, new InetSocketAddress("127.0.0.1", 40_000));
    SipRequest request =
        TopmostVia.stampSource(
            new SipRequest(
                "OPTIONS",
                "sip:h",
                SipHeaders.NONE.with(
                    "Via",
                    "SIP/2.0/UDP h;received=192.0.2.1;rport=9;branch=z, SIP/2.0/UDP i;branch=y")),
            flow);
    assertThat(request.headers().require("Via"))
        .isEqualTo("SIP/2.0/UDP h;rport=40000;branch=z;received=127.0.0.1, SIP/2.0/UDP i;branch=y");
  }
}
