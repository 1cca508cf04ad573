package io.viaduct.tunnel.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.path.Bindings.Source;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// The addresses of a session at a SNAPT, while datagrams come from many new ones.
class BindingsTest {
  private static final long MS = 1_000_000;
  private static final int BYTES = 61; // of a CHALLENGE, and of the datagrams
  private static final InetSocketAddress HOME = address(1);

  private final Bindings bindings = new Bindings(8, new SplittableRandom(1));

  private static InetSocketAddress address(int host) {
    return new InetSocketAddress("198.51.100." + host, 4_000);
  }

  private Source heard(int host, long nowNs) {
    return bindings.heard(address(host), 0, true, BYTES, BYTES, nowNs);
  }

  private void flood(long nowNs) {
    assertThat(bindings.heard(HOME, 0, true, BYTES, BYTES, nowNs)).isEqualTo(Source.FIRST);
    for (int host = 2; host <= 5; host++) {
      assertThat(heard(host, nowNs)).isEqualTo(Source.CHALLENGE);
    }
  }

  @Test
  void fourAddressesThatDoNotAnswerStopNoMoveForLongerThanHalfASecond() {
    flood(0);
    assertThat(heard(6, 100 * MS)).isEqualTo(Source.FULL);
    assertThat(heard(6, 500 * MS)).isEqualTo(Source.CHALLENGE);
    long nonce = bindings.nonce();
    assertThat(bindings.answered(address(6), nonce, 0, 520 * MS)).isTrue();
    assertThat(bindings.address(0)).isEqualTo(address(6));
  }

  @Test
  void anAddressKeepsItsPlaceForHalfASecondWhateverElseIsHeard() {
    flood(0);
    assertThat(heard(6, 500 * MS)).isEqualTo(Source.CHALLENGE);
    long nonce = bindings.nonce();
    for (int host = 7; host < 40; host++) {
      heard(host, (500 + 10 * (host - 7)) * MS);
    }
    assertThat(bindings.answered(address(6), nonce, 0, 999 * MS)).isTrue();
  }

  @Test
  void aFloodIsAnsweredByAtMostEightyChallengesASecond() {
    flood(0);
    int challenges = 0;
    for (int ms = 1; ms <= 10_000; ms++) {
      int host = 10 + ms % 200;
      challenges += heard(host, ms * MS) == Source.CHALLENGE ? 1 : 0;
    }
    assertThat(challenges).isLessThanOrEqualTo(800);
  }

  @Test
  void anAddressIsChallengedWhenItHasSentTheBytesOfTheChallenge() {
    bindings.heard(HOME, 0, true, BYTES, BYTES, 0);
    InetSocketAddress other = address(2);
    assertThat(bindings.heard(other, 0, true, BYTES - 1, BYTES, MS)).isEqualTo(Source.ELSEWHERE);
    assertThat(bindings.heard(other, 0, true, 1, BYTES, MS)).isEqualTo(Source.CHALLENGE);
    assertThat(bindings.heard(other, 0, false, BYTES - 1, BYTES, 60 * MS))
        .as("an old datagram pays too, and causes no CHALLENGE")
        .isEqualTo(Source.ELSEWHERE);
    assertThat(bindings.heard(other, 0, true, 1, BYTES, 60 * MS)).isEqualTo(Source.CHALLENGE);
  }

  @Test
  void nothingElseIsSentToAnAddressWhileItSavesForAChallengeThatIsDue() {
    bindings.heard(HOME, 0, true, BYTES, BYTES, 0);
    InetSocketAddress other = address(2);
    assertThat(bindings.heard(other, 0, true, 3 * BYTES, BYTES, 0)).isEqualTo(Source.CHALLENGE);
    Candidate candidate = bindings.candidate(other);
    assertThat(candidate.pays(2 * BYTES + 1)).isFalse();
    assertThat(candidate.pays(2 * BYTES)).isTrue();
    assertThat(bindings.heard(other, 0, true, 40, BYTES, 50 * MS)).isEqualTo(Source.ELSEWHERE);
    assertThat(candidate.pays(1)).isFalse();
    assertThat(bindings.heard(other, 0, true, 40, BYTES, 51 * MS)).isEqualTo(Source.CHALLENGE);
    assertThat(candidate.credit()).isEqualTo(80 - BYTES);
    assertThat(candidate.pays(80 - BYTES)).isTrue();
  }

  @Test
  void theBindingIsTheAddressObjectOfTheNewestDatagram() {
    assertThat(bindings.heard(HOME, 0, true, BYTES, BYTES, 0)).isEqualTo(Source.FIRST);
    InetSocketAddress equal = address(1);
    assertThat(bindings.heard(equal, Bindings.UNNAMED, false, BYTES, BYTES, MS))
        .isEqualTo(Source.BOUND);
    assertThat(bindings.address(0)).as("an old datagram").isSameAs(HOME);
    assertThat(bindings.heard(equal, Bindings.UNNAMED, true, BYTES, BYTES, MS))
        .isEqualTo(Source.BOUND);
    assertThat(bindings.address(0)).isSameAs(equal);
  }
}
