package io.viaduct.host.netlink;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Assumptions;

/// The messages were captured from Linux 6.18 on x86-64, on a socket that had joined the groups.
/// Meanwhile `ip link delete`, `ip address add`, `ip address del` and `ip route add` ran.
class RouteMessagesProperties {
  private static final String LINK =
      "a8020000110000000000000000000000000001000300000002100000ffffffff080003006f6e6500"
          + "08000d00e80300000500100002000000050011000000000005004300000000000800040078050000"
          + "080032004400000008003300ffff000008001b000000000008001e000000000008003d0000000000"
          + "08001f000200000008002800ffff0000080029000000010008003a000000010008003f0000000100"
          + "080040000000010008003b00f8ff070008003c00ffff000008004200000000000800200002000000"
          + "0500210000000000080023000300000008002f000100000008003000020000000600440000000000"
          + "060045000000000005002700000000000a000100a2cd508ac69200000a000200ffffffffffff0000"
          + "cc00170000000000000000000b000000000000000000000000000000da0300000000000000000000"
          + "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
          + "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
          + "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
          + "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
          + "0000000064000700000000000b00000000000000da03000000000000000000000000000000000000"
          + "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
          + "0000000000000000000000000000000000000000000000000c002b00050002000000000010001200"
          + "0900010076657468000000000800050000000000090006006e6f6f700000000004001a0024000e00"
          + "000000000000000000000000000000000000000000000000000000000000000004003e8004004180";

  private static final String ADDRESS =
      "4c000000140000007ee9006b310600000218800003000000080001000a010101080002000a010101"
          + "080003006f6e6500080008008000000014000600ffffffffffffffffc09f0500c09f0500";

  private static final String ADDRESS_GONE =
      "480000001500000000000000000000000a4082000300000014000100fd0100000000000000000000"
          + "0000000114000600ffffffffffffffffe2a00500e2a005000800080082000000";

  private static final String ROUTE =
      "3c0000001800000680e9006b3306000002000000fe0300010000000008000f00fe00000008000600"
          + "07000000080005000a0101fe0800040003000000";

  private final List<NetworkChange> changes = new ArrayList<>();
  private final List<Integer> errors = new ArrayList<>();
  private final RouteMessages messages = new RouteMessages();

  private final RouteMessages.Listener listener =
      new RouteMessages.Listener() {
        @Override
        public void changed(NetworkChange change, boolean asked) {
          changes.add(change);
        }

        @Override
        public void ended(int sequence, int error) {
          errors.add(error);
        }
      };

  private void read(byte[] bytes) {
    messages.read(ByteBuffer.wrap(bytes), listener);
  }

  /// Returns the captured messages as seeds of the fuzz target.
  static List<byte[]> captured() {
    return java.util.stream.Stream.of(LINK, ADDRESS, ADDRESS_GONE, ROUTE, ADDRESS + ROUTE)
        .map(HexFormat.of()::parseHex)
        .toList();
  }

  private static byte[] hex(String text) {
    Assumptions.assumeTrue(
        ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN, "captured on a little-endian machine");
    return HexFormat.of().parseHex(text);
  }

  @Example
  void eachCapturedMessageIsReadAsWhatItSays() throws Exception {
    read(hex(LINK + ADDRESS + ADDRESS_GONE + ROUTE));
    InetAddress own = InetAddress.getByName("10.1.1.1");
    InetAddress gateway = InetAddress.getByName("10.1.1.254");
    InetAddress any = InetAddress.getByName("0.0.0.0");
    assertThat(changes)
        .containsExactly(
            new NetworkChange.LinkGone(3, "one"),
            new NetworkChange.AddressPresent(3, own, 24, true),
            new NetworkChange.AddressGone(3, InetAddress.getByName("fd01::1"), 64),
            new NetworkChange.RoutePresent(new NetworkChange.Route(any, 0, gateway, 3, 7, 254)));
    assertThat(messages.malformed()).isZero();
  }

  @Example
  void anErrorIsToldWithItsNumber() {
    read(
        hex("24000000" + "0200" + "0000" + "07000000" + "00000000" + "f0ffffff" + "00".repeat(16)));
    assertThat(errors).containsExactly(-16);
  }

  @Property
  void rubbishNeverThrowsAndNeverLoops(@ForAll @Size(max = 200) byte[] rubbish) {
    read(rubbish);
    assertThat(changes).isEmpty();
  }

  @Property(tries = 3000)
  void aCapturedMessageWithAnyByteChangedIsReadOrCounted(
      @ForAll @IntRange(max = 3) int which,
      @ForAll @IntRange(max = 2000) int at,
      @ForAll byte value) {
    byte[] message = hex(List.of(LINK, ADDRESS, ADDRESS_GONE, ROUTE).get(which));
    message[at % message.length] = value;
    changes.clear();
    read(message);
    assertThat(changes.size()).isLessThanOrEqualTo(1);
  }

  @Property(tries = 500)
  void aCapturedMessageCutAnywhereIsCounted(
      @ForAll @IntRange(max = 3) int which, @ForAll @IntRange(min = 1, max = 2000) int at) {
    byte[] message = hex(List.of(LINK, ADDRESS, ADDRESS_GONE, ROUTE).get(which));
    int end = 1 + at % (message.length - 1);
    long malformed = messages.malformed();
    read(Arrays.copyOf(message, end));
    assertThat(changes).isEmpty();
    assertThat(messages.malformed()).isEqualTo(malformed + 1);
  }
}
