package io.viaduct.service.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileQueueTest {
  @TempDir Path root;

  private static byte[] bytes(int value) {
    return new byte[] {(byte) value};
  }

  @Test
  void entriesSurviveAStartInTheirOrder() throws Exception {
    FileQueue queue = FileQueue.open(root.resolve("queue"));
    long first = queue.add(bytes(1));
    long second = queue.add(bytes(2));
    FileQueue again = FileQueue.open(root.resolve("queue"));
    assertThat(again.size()).isEqualTo(2);
    assertThat(again.oldest()).hasValue(first);
    assertThat(again.after(first)).hasValue(second);
    assertThat(again.after(second)).isEmpty();
    assertThat(again.read(second)).hasValue(bytes(2));
    assertThat(again.add(bytes(3))).isGreaterThan(second);
  }

  @Test
  void entriesThatAreAddedTogetherKeepTheirOrder() throws Exception {
    FileQueue queue = FileQueue.open(root.resolve("queue"));
    long first = queue.add(bytes(1));
    queue.addAll(List.of(bytes(2), bytes(3)));
    queue.addAll(List.of());
    FileQueue again = FileQueue.open(root.resolve("queue"));
    assertThat(again.size()).isEqualTo(3);
    assertThat(again.read(first + 1)).hasValue(bytes(2));
    assertThat(again.read(first + 2)).hasValue(bytes(3));
    assertThat(again.add(bytes(4))).isEqualTo(first + 3);
  }

  @Test
  void aBatchThatTheDiskRefusesLeavesNoneOfItsEntries() throws Exception {
    FileQueue queue = FileQueue.open(root.resolve("queue"));
    queue.add(bytes(1));
    // A file cannot replace a directory that is not empty, so the third rename fails.
    Path obstacle = root.resolve("queue/0000000000000000004");
    Files.createDirectories(obstacle.resolve("inside"));
    assertThatThrownBy(() -> queue.addAll(List.of(bytes(2), bytes(3), bytes(4))))
        .isInstanceOf(IOException.class);
    Files.delete(obstacle.resolve("inside"));
    Files.delete(obstacle);
    assertThat(root.resolve("queue")).isDirectoryNotContaining("glob:**" + DurableFile.UNFINISHED);
    assertThat(FileQueue.open(root.resolve("queue")).size()).isEqualTo(1);
    assertThat(queue.add(bytes(5))).isEqualTo(2);
    assertThat(FileQueue.open(root.resolve("queue")).read(2)).hasValue(bytes(5));
  }

  @Test
  void aRemovedEntryIsGone() throws Exception {
    FileQueue queue = FileQueue.open(root.resolve("queue"));
    long number = queue.add(bytes(1));
    queue.remove(number);
    queue.remove(number);
    assertThat(queue.read(number)).isEmpty();
    assertThat(queue.oldest()).isEmpty();
    assertThat(FileQueue.open(root.resolve("queue")).size()).isZero();
  }

  @Test
  void anUnfinishedEntryIsDeletedAtTheStart() throws Exception {
    FileQueue queue = FileQueue.open(root.resolve("queue"));
    long number = queue.add(bytes(1));
    Path unfinished = root.resolve("queue/0000000000000000002" + DurableFile.UNFINISHED);
    Files.write(unfinished, bytes(2));
    assertThat(FileQueue.open(root.resolve("queue")).oldest()).hasValue(number);
    assertThat(unfinished).doesNotExist();
  }

  @Test
  void aRefusedEntryIsKeptBesideTheQueue() throws Exception {
    FileQueue queue = FileQueue.open(root.resolve("queue"));
    queue.refuse(queue.add(bytes(7)));
    assertThat(FileQueue.open(root.resolve("queue")).size()).isZero();
    assertThat(root.resolve("queue/refused/0000000000000000001")).hasBinaryContent(bytes(7));
    FileQueue again = FileQueue.open(root.resolve("queue"));
    again.refuse(again.add(bytes(8)));
    assertThat(root.resolve("queue/refused/0000000000000000001")).hasBinaryContent(bytes(7));
  }

  @Test
  void onlyTheOwnerMayReadTheQueue() throws Exception {
    FileQueue queue = FileQueue.open(root.resolve("queue"));
    queue.add(bytes(1));
    assertThat(mode(root.resolve("queue"))).isEqualTo("rwx------");
    assertThat(mode(root.resolve("queue/0000000000000000001"))).isEqualTo("rw-------");
  }

  private static String mode(Path path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
