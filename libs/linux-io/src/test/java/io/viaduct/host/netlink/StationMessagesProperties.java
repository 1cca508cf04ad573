package io.viaduct.host.netlink;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class StationMessagesProperties {
  private static final List<String> GOLDEN =
      List.of(Stations.CONTROLLER, Stations.PRESENT, Stations.STATION, Stations.ABSENT);

  private final List<String> seen = new ArrayList<>();
  private final StationMessages messages = new StationMessages();

  private final StationMessages.Listener listener =
      new StationMessages.Listener() {
        @Override
        public void family(int number) {
          seen.add("family " + number);
        }

        @Override
        public void signal(int linkIndex, int dBm) {
          seen.add("link " + linkIndex + " " + dBm);
        }

        @Override
        public void ended(int sequence, int error) {
          seen.add("end " + sequence + " " + error);
        }
      };

  private void read(byte[] bytes) {
    messages.read(ByteBuffer.wrap(bytes), Stations.FAMILY, listener);
  }

  @Example
  void eachGoldenMessageIsReadAsWhatItSays() {
    read(
        Stations.hex(
            Stations.CONTROLLER,
            Stations.PRESENT,
            Stations.ACKNOWLEDGED,
            Stations.STATION,
            Stations.STATION_WITHOUT_MEAN,
            Stations.DONE,
            Stations.REFUSED,
            Stations.ABSENT));
    assertThat(seen)
        .containsExactly(
            "family 28", "end 1 0", "link 3 -61", "link 3 -80", "end 2 0", "end 2 -22", "end 7 -2");
    assertThat(messages.malformed()).isZero();
  }

  @Example
  void requestsHaveTheLayoutThatTheKernelAnswered() {
    assertThat(StationMessages.familyRequest(7))
        .as("the request inside the captured refusal, after its length")
        .isEqualTo(
            Stations.hex(
                "20000000100005000700000000000000" + "03010000" + "0c0002006e6c383032313100"));
    assertThat(StationMessages.stationRequest(Stations.FAMILY, 2, 3))
        .isEqualTo(
            Stations.hex("1c0000001c0001030200000000000000" + "11010000" + "0800030003000000"));
  }

  @Example
  void aStationOfAnotherFamilyIsNotRead() {
    messages.read(ByteBuffer.wrap(Stations.hex(Stations.STATION)), 0, listener);
    messages.read(ByteBuffer.wrap(Stations.hex(Stations.STATION)), 0x1d, listener);
    assertThat(seen).isEmpty();
    assertThat(messages.malformed()).isZero();
  }

  @Property
  void rubbishNeverThrowsAndNeverLoops(@ForAll @Size(max = 200) byte[] rubbish) {
    read(rubbish);
    assertThat(seen).noneMatch(each -> each.startsWith("link"));
  }

  @Property(tries = 3000)
  void aGoldenMessageWithAnyByteChangedIsReadOrCounted(
      @ForAll @IntRange(max = 3) int which,
      @ForAll @IntRange(max = 2000) int at,
      @ForAll byte value) {
    byte[] message = Stations.hex(GOLDEN.get(which));
    message[at % message.length] = value;
    seen.clear();
    read(message);
    assertThat(seen.size()).isLessThanOrEqualTo(1);
    assertThat(seen).noneMatch(each -> each.matches("link .* [0-9]+"));
  }

  @Property(tries = 500)
  void aGoldenMessageCutAnywhereIsCounted(
      @ForAll @IntRange(max = 3) int which, @ForAll @IntRange(min = 1, max = 2000) int at) {
    byte[] message = Stations.hex(GOLDEN.get(which));
    long malformed = messages.malformed();
    seen.clear();
    read(Arrays.copyOf(message, 1 + at % (message.length - 1)));
    assertThat(seen).isEmpty();
    assertThat(messages.malformed()).isEqualTo(malformed + 1);
  }
}
