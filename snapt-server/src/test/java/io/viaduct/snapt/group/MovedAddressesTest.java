package io.viaduct.snapt.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.snapt.group.GroupSettings.Member;
import io.viaduct.snapt.group.GroupSettings.MemberPool;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.napt.PublicAddress;
import java.io.IOException;
import java.net.InetAddress;
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

  private MovedAddresses addresses() throws IOException {
    Files.createDirectories(folder.resolve("state"));
    return new MovedAddresses(
        folder.resolve("state/moved"), SETTINGS, member(1).pool(), host, counts);
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
  void aHostThatRefusesTheRouteChangesNothing() throws Exception {
    MovedAddresses addresses = addresses();
    PublicAddress foreign = PublicAddress.of("10.2.0.9", "fd02::9");
    host.refuses = true;
    assertThatThrownBy(() -> addresses.take(foreign, "snapt-2"))
        .isInstanceOf(IOException.class)
        .hasMessage("the host refuses");
    assertThat(addresses.last(foreign)).isNull();
    assertThat(counts.addresses()).isZero();
  }

  @Test
  void anAddressThatComesBackBeforeItsRouteAwayIsSetLacksNoRoute() throws Exception {
    MovedAddresses addresses = addresses();
    host.refuses = true;
    addresses.give(ADDRESS, B);
    assertThat(counts.notRouted()).isEqualTo(1);
    host.refuses = false;
    addresses.take(ADDRESS, "snapt-2");
    assertThat(counts.notRouted()).isZero();
  }

  @Test
  void anIntentOutlivesTheProcessUntilItsOutcomeIsKnown() throws Exception {
    Intent intent = new Intent(ADDRESS, "snapt-2", 1_795_718_542_650L);
    Intent other = new Intent(PublicAddress.of("10.1.0.6", "fd01::6"), "snapt-3", 7);
    MovedAddresses before = addresses();
    before.intend(intent);
    before.intend(other);
    MovedAddresses after = addresses();
    assertThat(after.open()).isEmpty();
    assertThat(after.intents()).containsExactly(intent, other);
    assertThat(after.all()).as("nothing has moved").isEmpty();
    after.give(ADDRESS, B);
    after.forget(other);
    assertThat(counts.intents()).isZero();
    MovedAddresses last = addresses();
    last.open();
    assertThat(last.intents()).isEmpty();
    assertThat(last.all()).containsExactly(ADDRESS);
  }

  @Test
  void aDamagedFileStopsTheStartWithTheLine() throws Exception {
    MovedAddresses addresses = addresses();
    Files.writeString(folder.resolve("state/moved"), "10.1.0.5 fd01::5 -\n");
    assertThatThrownBy(addresses::open)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("each line has 4 words, or 5 of an intent, got '10.1.0.5 fd01::5 -'");
  }

  @Test
  void anAddressDoesNotMoveForEver() throws Exception {
    MovedAddresses addresses = addresses();
    for (int i = 1; i < MovedAddresses.STAYS_MAX; i++) { // a circle over B and C
      addresses.give(ADDRESS, B);
      addresses.take(ADDRESS, "snapt-3");
    }
    addresses.give(ADDRESS, B);
    assertThatThrownBy(() -> addresses.take(ADDRESS, "snapt-3"))
        .hasMessageContaining("has moved 8 times");
  }

  @Test
  void anAddressThatHasGoneIsKnownAfterARestartAlsoIfTheHostHasRefusedItsRoute() throws Exception {
    MovedAddresses before = addresses();
    host.refuses = true;
    assertThat(before.give(ADDRESS, B)).isFalse();
    assertThat(counts.notRouted()).isEqualTo(1);
    MovedAddresses after = addresses();
    after.open();
    assertThat(after.all()).containsExactly(ADDRESS);
    host.refuses = false;
    before.again();
    assertThat(host.routes).containsExactly("10.1.0.5 to snapt-2");
    assertThat(counts.notRouted()).isZero();
    before.again();
    assertThat(host.routes).as("only what was refused").hasSize(1);
  }

  @Test
  void aRouteThatIsRefusedAtTheStartDoesNotKeepTheOthersFromBeingSet() throws Exception {
    MovedAddresses addresses = addresses();
    addresses.give(ADDRESS, B);
    addresses.give(PublicAddress.of("10.1.0.6", "fd01::6"), B);
    host.routes.clear();
    host.refused = "10.1.0.5";
    addresses.lead();
    assertThat(host.routes).containsExactly("10.1.0.6 to snapt-2");
    assertThat(counts.notRouted()).isEqualTo(1);
    host.refused = "none";
    addresses.again();
    assertThat(host.routes).last().isEqualTo("10.1.0.5 to snapt-2");
  }

  @Test
  void theStartRemovesRoutesOfTheGroupThatNoRecordNames() throws Exception {
    MovedAddresses addresses = addresses();
    addresses.give(ADDRESS, B);
    host.routes.clear();
    for (String each : List.of("10.1.0.5", "10.1.0.7", "10.3.0.7", "192.0.2.1", "fd02::7")) {
      host.before.add(InetAddress.getByName(each));
    }
    addresses.lead();
    assertThat(host.routes)
        .containsExactly(
            "10.1.0.7 forgotten",
            "10.3.0.7 forgotten",
            "fd02:0:0:0:0:0:0:7 forgotten",
            "10.1.0.5 to snapt-2");
  }

  @Test
  void whatCannotBeWrittenHasNotChanged() throws Exception {
    MovedAddresses addresses = addresses();
    addresses.give(ADDRESS, B);
    Files.delete(folder.resolve("state/moved"));
    Files.delete(folder.resolve("state"));
    PublicAddress other = PublicAddress.of("10.1.0.6", "fd01::6");
    assertThatThrownBy(() -> addresses.leave(ADDRESS)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> addresses.give(other, B)).isInstanceOf(IOException.class);
    assertThat(addresses.all()).containsExactly(ADDRESS);
    assertThat(host.routes).as("the session is there").last().isEqualTo("10.1.0.6 to snapt-2");
    Files.createDirectory(folder.resolve("state"));
    addresses.leave(ADDRESS);
    assertThat(addresses.all()).isEmpty();
  }

  @Test
  void anAddressIsForgottenIfItsRouteHereIsRefusedInPart() throws Exception {
    MovedAddresses addresses = addresses();
    PublicAddress foreign = PublicAddress.of("10.2.0.9", "fd02::9");
    host.refusesIpv6 = true;
    assertThatThrownBy(() -> addresses.take(foreign, "snapt-2")).isInstanceOf(IOException.class);
    assertThat(addresses.last(foreign)).isNull();
    assertThat(host.routes).containsExactly("10.2.0.9 here", "10.2.0.9 forgotten");
    assertThat(counts.notRouted()).isZero();
  }

  @Test
  void anAddressComesFromItsOwnerOrFromTheMemberThatHasIt() throws Exception {
    MovedAddresses addresses = addresses();
    PublicAddress ofB = PublicAddress.of("10.2.0.9", "fd02::9");
    assertThat(addresses.mayCome(ADDRESS, "snapt-2")).as("it has never left").isFalse();
    assertThat(addresses.mayCome(ofB, "snapt-2")).isTrue();
    assertThat(addresses.mayCome(ofB, "snapt-3")).as("of another one").isFalse();
    addresses.give(ADDRESS, B);
    assertThat(addresses.mayCome(ADDRESS, "snapt-3")).as("B may have handed it on").isTrue();
    addresses.take(ADDRESS, "snapt-2");
    assertThat(addresses.mayCome(ADDRESS, "snapt-2")).as("it is here").isFalse();
    addresses.take(ofB, "snapt-2");
    addresses.give(ofB, C);
    assertThat(addresses.mayCome(ofB, "snapt-3")).as("it was handed to C").isTrue();
    addresses.leave(ADDRESS);
    assertThatThrownBy(() -> addresses.take(ADDRESS, "snapt-2"))
        .hasMessageContaining("has been returned meanwhile");
  }
}
