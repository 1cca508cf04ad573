package io.viaduct.diameter.message;

import static io.viaduct.diameter.message.Messages.DICTIONARY;
import static io.viaduct.diameter.message.Messages.hex;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.time.Instant;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/// The bytes of docs/diameter.md.
class GoldenMessageTest {
  private static final String WATCHDOG =
      """
      01 000038 80 000118 00000000 00000001 00000002
      00000108 40 000012 612e696d732e74657374 0000
      00000128 40 000010 696d732e74657374
      """;

  private static final String ACCOUNTING =
      """
      01 0000ac d0 00010f 00000003 01020304 a1b2c3d4
      00000107 40 000016 612e696d732e746573743b313b32 0000
      00000108 40 000012 612e696d732e74657374 0000
      00000128 40 000010 696d732e74657374
      0000011b 40 000010 696d732e74657374
      000001e0 40 00000c 00000002
      000001e5 40 00000c 00000000
      00000037 40 00000c eeb34680
      00000369 c0 000028 000028af
        0000036c c0 00001c 000028af
          00000349 c0 000010 000028af 69636964
      """;

  @Test
  void aWatchdogHasTheseBytes() {
    assertThat(Messages.watchdog().encode()).isEqualTo(hex(WATCHDOG));
    assertThat(Messages.READER.read(hex(WATCHDOG)))
        .isEqualTo(new Verdict.Accepted(Messages.watchdog()));
  }

  @Test
  void anAccountingRequestHasTheseBytes() {
    assertThat(Messages.accounting().encode()).isEqualTo(hex(ACCOUNTING));
    assertThat(Messages.READER.read(hex(ACCOUNTING)))
        .isEqualTo(new Verdict.Accepted(Messages.accounting()));
  }

  @Test
  void everyFormatHasItsBytes() throws Exception {
    AvpGroup avps =
        new AvpBuilder(DICTIONARY)
            .add("Host-IP-Address", InetAddress.getByName("192.0.2.1"))
            .add("Host-IP-Address", InetAddress.getByName("2001:db8::1"))
            .add("CC-Total-Octets", 1L << 40)
            .add("Exponent", -6)
            .add("Value-Digits", -2)
            .add("Redirect-Host", "aaa://a.ims.test:3868;transport=tcp")
            // The day after the 32 bits wrap.
            .add("Tariff-Time-Change", Instant.parse("2036-02-08T00:00:00Z"))
            .build();
    byte[] written = new DiameterMessage(Messages.watchdog().header(), avps).encode();
    assertThat(Arrays.copyOfRange(written, 20, written.length))
        .isEqualTo(
            hex(
                """
                00000101 40 00000e 0001c0000201 0000
                00000101 40 00001a 000220010db8000000000000000000000001 0000
                000001a5 40 000010 0000010000000000
                000001ad 40 00000c fffffffa
                000001bf 40 000010 fffffffffffffffe
                00000124 40 00002b 6161613a2f2f612e696d732e746573743a333836383b7472616e73706f72743d746370 00
                000001c3 40 00000c 0000f680
                """));
  }
}
