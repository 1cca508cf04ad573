package io.viaduct.bridge.snapts;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.stub.StreamObserver;
import io.viaduct.bridge.directory.SnaptClaims;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.snapts.AnnounceStream.Told;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.SignedDirectory;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.TokenKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The directory in the answers to statuses: in a large fleet it is much longer than all else.
class ToldDirectoryTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final List<SnaptStatusAck> answers = new ArrayList<>();
  private final SnaptDirectory directory =
      new SnaptDirectory(List.of(), Duration.ofSeconds(15), () -> NOW);
  private Told told = Told.NOTHING;

  private AnnounceStream stream() {
    return new AnnounceStream(
        "snapt-1",
        "192.0.2.1:1000",
        directory,
        new SnaptClaims(directory, () -> NOW),
        () -> List.of(TokenKey.newBuilder().setKeyId("key").build()),
        () -> told,
        Optional::empty,
        () -> NOW,
        new StreamObserver<>() {
          @Override
          public void onNext(SnaptStatusAck answer) {
            answers.add(answer);
          }

          @Override
          public void onError(Throwable why) {
            throw new AssertionError(why);
          }

          @Override
          public void onCompleted() {}
        },
        _ -> {});
  }

  private static Told of(String id, String signature) {
    return new Told(
        List.of(DirectoryEntry.newBuilder().setSnaptId(id).build()),
        SignedDirectory.newBuilder().setKeyId(signature).build());
  }

  private List<Integer> told() {
    return answers.stream().map(SnaptStatusAck::getDirectoryCount).toList();
  }

  @Test
  void itIsToldOnceAndAgainWhenItChangesOrIsSignedAnew() {
    AnnounceStream stream = stream();
    stream.accepted();
    told = of("snapt-1", "first");
    stream.accepted();
    stream.accepted();
    told = of("snapt-2", "first");
    stream.accepted();
    told = of("snapt-2", "second");
    stream.accepted();
    stream.accepted();
    assertThat(told()).containsExactly(0, 1, 0, 1, 1, 0);
    assertThat(answers).allMatch(each -> each.getTokenKeysCount() == 1);
    assertThat(answers).allMatch(each -> each.getNowMs() == NOW.toEpochMilli());
    assertThat(answers.get(4).getSignedDirectory().getKeyId()).isEqualTo("second");
  }

  @Test
  void anotherStreamIsToldItToo() {
    told = of("snapt-1", "first");
    stream().accepted();
    stream().accepted();
    assertThat(told()).containsExactly(1, 1);
  }
}
