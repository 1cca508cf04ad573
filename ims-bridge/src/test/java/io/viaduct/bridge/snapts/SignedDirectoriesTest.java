package io.viaduct.bridge.snapts;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.token.TokenIssuer;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.Directory;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.SignedDirectory;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SignedDirectoriesTest {
  private static final Instant START = Instant.ofEpochMilli(1_764_000_000_000L);

  private final KeyPair key = Ed25519.generate();
  private Instant now = START;
  private final TokenIssuer tokens =
      new TokenIssuer(key, List.of(), Duration.ofMinutes(10), "snapts", () -> now);
  private final SignedDirectories directories = new SignedDirectories(tokens, () -> now);

  private static DirectoryEntry entry(int load) {
    return DirectoryEntry.newBuilder().setSnaptId("snapt-1").setLoadPercent(load).build();
  }

  private SignedDirectory signed(int load) {
    return directories.of(List.of(entry(load))).orElseThrow();
  }

  private static Directory read(SignedDirectory signed) throws Exception {
    return Directory.parseFrom(signed.getDirectory());
  }

  @Test
  void aDirectoryIsSignedByTheKeyOfTheTokens() throws Exception {
    SignedDirectory signed = signed(7);
    assertThat(signed.getKeyId()).isEqualTo(tokens.publicKeys().getFirst().getKeyId());
    assertThat(
            SignedMessage.SNAPT_DIRECTORY.isSignedBy(
                key.getPublic(), signed.getDirectory(), signed.getSignature()))
        .isTrue();
    assertThat(
            SignedMessage.SESSION_TOKEN.isSignedBy(
                key.getPublic(), signed.getDirectory(), signed.getSignature()))
        .as("it is no token")
        .isFalse();
    assertThat(read(signed).getVersion()).isEqualTo(START.toEpochMilli());
    assertThat(read(signed).getEntriesList()).containsExactly(entry(7));
  }

  @Test
  void eachChangeHasALargerVersionAlsoWithinAMillisecondAndWhenTheClockIsSetBack()
      throws Exception {
    long first = read(signed(1)).getVersion();
    long second = read(signed(2)).getVersion();
    now = START.minusSeconds(60);
    long third = read(signed(3)).getVersion();
    assertThat(List.of(second, third)).containsExactly(first + 1, first + 2);
  }

  @Test
  void whatHasNotChangedIsSignedAgainBeforeDevicesRefuseIt() throws Exception {
    SignedDirectory first = signed(1);
    now = START.plus(SignedDirectories.RENEWED_AFTER).minusMillis(1);
    assertThat(signed(1)).isSameAs(first);
    now = START.plus(SignedDirectories.RENEWED_AFTER);
    assertThat(read(signed(1)).getVersion()).isEqualTo(now.toEpochMilli());
  }

  @Test
  void nothingIsSignedBeforeTheDirectoryIsKnownAndNoMoreThanAMessageHolds() throws Exception {
    assertThat(directories.of(List.of())).isEmpty();
    List<DirectoryEntry> many =
        IntStream.range(0, SignedDirectories.ENTRIES_MAX + 1).mapToObj(_ -> entry(1)).toList();
    assertThat(read(directories.of(many).orElseThrow()).getEntriesCount())
        .isEqualTo(SignedDirectories.ENTRIES_MAX);
  }
}
