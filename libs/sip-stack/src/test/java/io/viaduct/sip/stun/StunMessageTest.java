package io.viaduct.sip.stun;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StunMessageTest {
  private static final HexFormat HEX = HexFormat.of();

  /// Transaction id and addresses of the test vectors, RFC 5769 sections 2.2 and 2.3.
  private static final TransactionId VECTOR = new TransactionId(0xb7e7a701bc34d686L, 0xfa87dfae);

  private static final String ID = "b7e7a701bc34d686fa87dfae";
  private static final String MAPPED_IPV4 = "002000080001a147e112a643";
  private static final String MAPPED_IPV6 = "002000140002a1470113a9faa5d3f179bc25f4b5bed2b9d9";

  private static byte[] response(String attributes) {
    return HEX.parseHex("0101%04x2112a442%s%s".formatted(attributes.length() / 2, ID, attributes));
  }

  private static StunMessage.Success success(String address) {
    return new StunMessage.Success(
        VECTOR, new InetSocketAddress(InetAddress.ofLiteral(address), 32853), "a1b2");
  }

  @Test
  void theAddressIsMaskedAsInTheTestVectors() {
    assertThat(StunMessage.success(success("192.0.2.1")))
        .isEqualTo(response(MAPPED_IPV4 + "8022000461316232"));
    assertThat(StunMessage.success(success("2001:db8:1234:5678:11:2233:4455:6677")))
        .isEqualTo(response(MAPPED_IPV6 + "8022000461316232"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"192.0.2.1", "2001:db8:1234:5678:11:2233:4455:6677"})
  void aResponseIsReadAsItWasWrittenAndIsNotLongerThanItsRequest(String address) {
    StunMessage.Success answer = success(address);
    byte[] written = StunMessage.success(answer);
    assertThat(StunMessage.read(written)).isEqualTo(answer);
    byte[] request = StunMessage.request(VECTOR, address.contains(":"));
    assertThat(request).hasSameSizeAs(written);
    assertThat(StunMessage.read(request))
        .isEqualTo(new StunMessage.Request(VECTOR, request.length));
  }

  @Test
  void aBareRequestOfAnotherUserAgentIsRead() {
    byte[] bare = HEX.parseHex("000100002112a442" + ID);
    assertThat(StunMessage.read(bare)).isEqualTo(new StunMessage.Request(VECTOR, 20));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "000100042112a442" + ID, // longer than the datagram
        "000100032112a442" + ID + "802200", // no multiple of 4
        "000100082112a442" + ID + "8022000861623132", // an attribute beyond the end
        "000100082112a442" + ID + "0003000400000006", // CHANGE-REQUEST would make us send elsewhere
        "001100002112a442" + ID, // an indication
        "010100002112a442" + ID, // a response without an address
        "0101000c2112a442" + ID + "002000080003a147e112a643" // an unknown family
      })
  void whatIsNoBindingMessageIsRefused(String hex) {
    byte[] datagram = HEX.parseHex(hex);
    assertThat(StunMessage.isClaimed(datagram)).isTrue();
    assertThat(StunMessage.read(datagram)).isNull();
  }

  @Test
  void sipIsNoStun() {
    assertThat(StunMessage.isClaimed("OPTIONS sip:ims.test SIP/2.0\r\n".getBytes())).isFalse();
    assertThat(StunMessage.isClaimed(new byte[19])).isFalse();
  }
}
