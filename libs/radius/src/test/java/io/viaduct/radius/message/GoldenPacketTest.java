package io.viaduct.radius.message;

import static io.viaduct.radius.message.Packets.SECRET;
import static io.viaduct.radius.message.Packets.hex;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/// Octets of the RFCs, and those of docs/radius.md.
public class GoldenPacketTest {
  public static final String INTERIM =
      """
      04 07 009e cf0447ea1cd0c432285a2a861962261d
      50 12 689071bcea9f2fba795b616e19b3aa51
      28 06 00000003
      2c 12 30303030303030303030303030303037
      32 06 35663263
      01 10 616c69636540696d732e74657374
      20 11 766961647563742d62696c6c696e67
      3d 06 00000005
      06 06 00000002
      1e 09 736e6170742d31
      37 06 6b0954a0 2e06 0000003c
      2a 06 2a05f200 3406 00000001
      2b 06 000004d2
      29 06 00000002
      """;

  public static final String RESPONSE =
      """
      05 07 0018 3eb0ba187d8d7243d7e3bbdb922689dc
      21 04 7031
      """;

  @Test
  void anInterimUpdateHasTheseOctets() {
    assertThat(SECRET.signRequest(Packets.interim())).isEqualTo(hex(INTERIM));
    assertThat(SECRET.flawOfRequest(hex(INTERIM))).isEmpty();
    assertThat(Packets.read(hex(INTERIM)).text("User-Name")).isEqualTo("alice@ims.test");
  }

  @Test
  void aResponseHasTheseOctets() {
    List<Attribute> attributes =
        new AttributesBuilder(Packets.DICTIONARY).add("Proxy-State", new byte[] {'p', '1'}).build();
    RadiusPacket response = new RadiusPacket(RadiusPacket.ACCOUNTING_RESPONSE, 7, attributes);
    assertThat(SECRET.signResponse(response, hex(INTERIM))).isEqualTo(hex(RESPONSE));
    assertThat(SECRET.flawOfResponse(hex(RESPONSE), hex(INTERIM))).isEmpty();
  }

  @Test
  void theResponseOfRfc2865HasItsAuthenticator() {
    byte[] request =
        hex(
            """
            01 00 0038 0f403f9473978057bd83d5cb98f4227a
            01 06 6e656d6f
            02 12 0dbe708d93d413ce3196e43f782a0aee
            04 06 c0a80110
            05 06 00000003
            """);
    byte[] response =
        hex(
            """
            02 00 0026 86fe220e7624ba2a1005f6bf9b55e0b2
            06 06 00000001
            0f 06 00000000
            0e 06 c0a80103
            """);
    assertThat(SECRET.flawOfResponse(response, request)).isEmpty();
    response[25] ^= 1;
    assertThat(SECRET.flawOfResponse(response, request)).hasValue(Refusal.BAD_AUTHENTICATOR);
  }

  // Status-Server to the accounting port: the authenticator of the request is random there, so
  // Message-Authenticator covers it.
  @Test
  void theMessageAuthenticatorOfRfc5997IsThatOfAResponseToItself() {
    byte[] query =
        hex(
            """
            0c b3 0026 925f6b66dd5fed571fcb1db7ad388260
            50 12 e8d6eabda910875cd91fdade26367858
            """);
    RadiusPacket packet = Packets.read(query);
    byte[] signed = SECRET.signResponse(packet, query);
    assertThat(Packets.read(signed).first("Message-Authenticator"))
        .isEqualTo(packet.first("Message-Authenticator"));
  }

  @Test
  void theEmptyResponseOfRfc5997HasItsAuthenticator() {
    byte[] query =
        hex("0cda0026 8a54f4686fb394c52866e302185d0623 5012 5a665e2e1e8411f3e243822097c84fa3");
    assertThat(SECRET.flawOfResponse(hex("02da0014 ef0d552a4bf2d693ec2b6fe8b5411d66"), query))
        .isEmpty();
  }
}
