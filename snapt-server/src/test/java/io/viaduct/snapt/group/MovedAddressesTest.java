package io.viaduct.snapt.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.snapt.group.GroupSettings.Member;
import io.viaduct.snapt.group.GroupSettings.MemberPool;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.napt.PublicAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MovedAddressesTest {
  private static final PublicAddress ADDRESS = PublicAddress.of("10.1.0.5", "fd01::5");
  private static final Member B = member(2);
  private static final Member C = member(3);
  private static final GroupSettings SETTINGS =
      new GroupSettings("core", "127.0.0.1", 0, List.of(B, C));

  @TempDir Path folder;
  private final RecordingHost host = new RecordingHost();

  private static Member member(int number) {
    return new Member(
        "snapt-" + number,
        "localhost",
        7444,
        "192.0.2." + number,
        "",
        new MemberPool(
            Prefix.of("10.%d.0.0/16".formatted(number)),
            Prefix.of("fd0%d::/64".formatted(number))));
  }

  private final GroupCounts counts = new GroupCounts();

  private MovedAddresses addresses() {
    return new MovedAddresses(folder.resolve("moved"), SETTINGS, host, counts);
  }

  @Test
  void anAddressThatComesBackIsReturnedTheWayItCame() throws Exception {
    MovedAddresses addresses = addresses();
    addresses.give(ADDRESS, B);
    addresses.take(ADDRESS, "snapt-3"); // B has handed it to C, and C back to its owner
    assertThat(addresses.leave(ADDRESS))
        .isEqualTo(new MovedAddresses.Stay("snapt-3", MovedAddresses.OWN));
    assertThat(addresses.leave(ADDRESS))
        .isEqualTo(new MovedAddresses.Stay(MovedAddresses.OWN, "snapt-2"));
    assertThat(addresses.last(ADDRESS)).isNull();
    assertThat(host.routes)
        .containsExactly(
            "10.1.0.5 to snapt-2", "10.1.0.5 here", "10.1.0.5 to snapt-2", "10.1.0.5 forgotten");
  }

  @Test
  void anAddressThatGoesToAndFroLeavesNothingBehind() throws Exception {
    MovedAddresses addresses = addresses();
    for (int i = 0; i < 2 * MovedAddresses.STAYS_MAX; i++) {
      addresses.give(ADDRESS, B);
      addresses.take(ADDRESS, "snapt-2");
    }
    assertThat(addresses.leave(ADDRESS))
        .isEqualTo(new MovedAddresses.Stay(MovedAddresses.OWN, MovedAddresses.OWN));
    assertThat(addresses.last(ADDRESS)).isNull();

    PublicAddress foreign = PublicAddress.of("10.2.0.9", "fd02::9");
    addresses.take(foreign, "snapt-2");
    addresses.give(foreign, B);
    assertThat(addresses.last(foreign)).isNull();
    assertThat(host.routes).last().isEqualTo("10.2.0.9 to snapt-2");
    addresses.settle(foreign);
    assertThat(host.routes).last().isEqualTo("10.2.0.9 forgotten");
    assertThat(counts.addresses()).isZero();
  }

  @Test
  void theRoutesOutliveTheProcess() throws Exception {
    PublicAddress taken = PublicAddress.of("10.2.0.9", "fd02::9");
    MovedAddresses before = addresses();
    before.give(ADDRESS, B);
    before.take(taken, "snapt-2");
    MovedAddresses after = addresses();
    assertThat(after.open()).as("its session has ended with the process").containsExactly(taken);
    assertThat(after.all()).containsExactly(ADDRESS, taken);
    host.routes.clear();
    after.lead();
    assertThat(host.routes).containsExactly("10.1.0.5 to snapt-2", "10.2.0.9 here");
  }

  @Test
  void aHostThatRefusesTheRouteChangesNothing() {
    MovedAddresses addresses = addresses();
    host.refuses = true;
    assertThatThrownBy(() -> addresses.take(ADDRESS, "snapt-2"))
        .isInstanceOf(IOException.class)
        .hasMessage("the host refuses");
    assertThat(addresses.last(ADDRESS)).isNull();
    assertThat(counts.addresses()).isZero();
  }

  @Test
  void aDamagedFileStopsTheStartWithTheLine() throws Exception {
    Files.writeString(folder.resolve("moved"), "10.1.0.5 fd01::5 -\n");
    assertThatThrownBy(addresses()::open)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("each line has 4 words, got '10.1.0.5 fd01::5 -'");
  }

  @Test
  void anAddressDoesNotMoveForEver() throws Exception {
    MovedAddresses addresses = addresses();
    for (int i = 0; i < MovedAddresses.STAYS_MAX; i++) {
      addresses.take(ADDRESS, "snapt-2");
      addresses.give(ADDRESS, C);
    }
    assertThatThrownBy(() -> addresses.take(ADDRESS, "snapt-2"))
        .hasMessageContaining("has moved 8 times");
  }
}
