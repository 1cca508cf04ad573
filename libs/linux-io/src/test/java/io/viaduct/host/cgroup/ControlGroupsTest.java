package io.viaduct.host.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The lines are those of proc(5), of machines with systemd and of containers.
class ControlGroupsTest {
  private static final String HYBRID =
      "38 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw";

  @TempDir Path root;

  @Test
  void theRootIsWhereControlGroupsOfVersion2AreMounted() {
    assertThat(
            ControlGroups.rootIn(
                List.of(
                    "23 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw",
                    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 master:2 - cgroup2 cgroup2 rw,nsdelegate")))
        .contains(Path.of("/sys/fs/cgroup"));
    assertThat(
            ControlGroups.rootIn(
                List.of(
                    "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu", HYBRID)))
        .contains(Path.of("/sys/fs/cgroup/unified"));
  }

  @Test
  void blanksOfAMountPointAreEscaped() {
    assertThat(
            ControlGroups.rootIn(
                List.of("38 31 0:38 / /mnt/my\\040groups\\134x rw - cgroup2 none rw")))
        .contains(Path.of("/mnt/my groups\\x"));
  }

  @Test
  void aHostWithVersion1AloneHasNone() {
    assertThat(
            ControlGroups.rootIn(
                List.of("32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup2 rw,cpu")))
        .isEmpty();
  }

  @Test
  void aStarStandsForAnyCharactersOfOneNameAndNothingElseIsSpecial() throws Exception {
    ControlGroups all = new ControlGroups(root);
    List<Path> wanted =
        List.of(
            group("user.slice/app.slice/app-firefox-12.scope"),
            group("user.slice/app.slice/app-firefox\\x2desr-7.scope"));
    group("user.slice/app.slice/app-mail-3.scope");
    group("user.slice/app.slice/deeper/app-firefox-9.scope");
    Files.writeString(root.resolve("user.slice/app.slice/app-firefox.procs"), "");
    assertThat(found(all, "user.slice/*/app-firefox*")).containsExactlyInAnyOrderElementsOf(wanted);
    assertThat(found(all, "user.slice/app.slice/app-firefox\\x2d*"))
        .containsExactly(wanted.getLast());
    assertThat(found(all, "user.slice")).containsExactly(root.resolve("user.slice"));
    assertThat(found(all, "user.slice/app.slice/app-firefox-1.scope")).isEmpty();
    assertThat(found(all, "system.slice/*.service")).isEmpty();
  }

  private static List<Path> found(ControlGroups all, String pattern) {
    return all.find(pattern).stream().map(ControlGroup::directory).toList();
  }

  private Path group(String path) throws Exception {
    return Files.createDirectories(root.resolve(path));
  }

  @Test
  void processesOfGroupsBelowAreCountedToo() throws Exception {
    Files.writeString(group("app.slice").resolve("cgroup.procs"), "7\n");
    Files.writeString(group("app.slice/a.scope").resolve("cgroup.procs"), "8\n9\n");
    assertThat(new ControlGroup(root.resolve("app.slice")).processes()).isEqualTo(3);
    assertThat(new ControlGroup(root.resolve("ended.slice")).processes()).isZero();
  }

  @Test
  void aLaterGroupOfTheSameNameIsAnotherOne() throws Exception {
    ControlGroup group = new ControlGroups(root).make("outside");
    Object first = group.identity();
    assertThat(new ControlGroups(root).make("outside").identity()).isEqualTo(first);
    Files.move(group.directory(), root.resolve("former"));
    assertThat(new ControlGroups(root).make("outside").identity()).isNotEqualTo(first);
  }

  @Test
  void aProcessThatCannotBeMovedIsNamedWithItsGroup() {
    assertThatExceptionOfType(ControlGroupException.class)
        .isThrownBy(() -> new ControlGroup(root.resolve("ended")).add(4711))
        .withMessageContaining("process 4711")
        .withMessageContaining(root.resolve("ended").toString());
  }
}
