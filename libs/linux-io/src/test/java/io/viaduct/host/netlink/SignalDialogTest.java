package io.viaduct.host.netlink;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SignalDialogTest {
  private final List<String> signals = new ArrayList<>();
  private final SignalDialog dialog =
      new SignalDialog((link, dBm) -> signals.add(link + " " + dBm));

  private void answer(String... messages) {
    dialog.read(ByteBuffer.wrap(Stations.hex(messages)));
  }

  private static byte[] stations(int sequence, int link) {
    return StationMessages.stationRequest(Stations.FAMILY, sequence, link);
  }

  @Test
  void withoutLinksNothingIsAsked() {
    assertThat(dialog.isNeeded()).isFalse();
    dialog.begin();
    assertThat(dialog.request()).isNull();
  }

  @Test
  void theFamilyIsAskedOnceAndThenEachWirelessLinkOncePerPeriod() {
    dialog.watch(Set.of(3));
    dialog.begin();
    assertThat(dialog.request()).isEqualTo(StationMessages.familyRequest(1));
    assertThat(dialog.request()).as("one request at a time").isNull();
    answer(Stations.PRESENT, Stations.ACKNOWLEDGED);
    assertThat(dialog.request()).isEqualTo(stations(2, 3));
    answer(Stations.STATION, Stations.DONE);
    assertThat(signals).containsExactly("3 -61");
    assertThat(dialog.request()).as("until the next period").isNull();
    dialog.begin();
    assertThat(dialog.request()).isEqualTo(stations(3, 3));
  }

  @Test
  void aKernelWithoutWirelessLinksIsNotAskedAgainUntilALinkIsNew() {
    dialog.watch(Set.of(3));
    dialog.begin();
    byte[] request = dialog.request();
    answer(Stations.ABSENT.replaceFirst("07000000", "01000000"));
    assertThat(request).isNotNull();
    assertThat(dialog.isNeeded()).isFalse();
    assertThat(dialog.request()).isNull();
    dialog.watch(Set.of(3, 4));
    dialog.begin();
    assertThat(dialog.request()).isEqualTo(StationMessages.familyRequest(2));
  }

  @Test
  void aLinkThatIsNotWirelessIsAskedOnce() {
    dialog.watch(Set.of(3));
    dialog.begin();
    dialog.request();
    answer(Stations.PRESENT, Stations.ACKNOWLEDGED);
    dialog.request();
    answer(Stations.REFUSED);
    assertThat(dialog.isNeeded()).isFalse();
    dialog.watch(Set.of());
    dialog.watch(Set.of(3));
    assertThat(dialog.isNeeded()).as("another link may have the number now").isTrue();
  }

  @Test
  void aMissingAnswerIsAwaitedForOnePeriodOnly() {
    dialog.watch(Set.of(3));
    dialog.begin();
    dialog.request();
    dialog.begin();
    assertThat(dialog.request()).isEqualTo(StationMessages.familyRequest(2));
    answer(Stations.ACKNOWLEDGED);
    assertThat(dialog.isNeeded()).as("the old answer decides nothing").isTrue();
  }

  @Test
  void aSignalOfALinkThatIsNoLongerWatchedIsNotReported() {
    dialog.watch(Set.of(3));
    dialog.begin();
    dialog.request();
    answer(Stations.PRESENT, Stations.ACKNOWLEDGED);
    dialog.request();
    dialog.watch(Set.of(5));
    answer(Stations.STATION, Stations.DONE);
    assertThat(signals).isEmpty();
  }
}
