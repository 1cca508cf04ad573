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

  private final Bindings bindings = new Bindings(8, new SplittableRandom(1), (_, _) -> true);

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

  /// An address of the device, with the local address that its datagram came to.
  private static final class At extends InetSocketAddress {
    private static final long serialVersionUID = 1;
    private final int local;

    At(InetSocketAddress device, int local) {
      super(device.getAddress(), device.getPort());
      this.local = local;
    }

    static boolean haveSameLocal(InetSocketAddress one, InetSocketAddress other) {
      return ((At) one).local == ((At) other).local;
    }
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
  void anotherLocalAddressIsChallengedAndAnswersLeaveFromItOnlyAfterItsResponse() {
    Bindings several = new Bindings(8, new SplittableRandom(1), At::haveSameLocal);
    At first = new At(HOME, 1);
    At second = new At(HOME, 2);
    assertThat(several.heard(first, 0, true, BYTES, BYTES, 0)).isEqualTo(Source.FIRST);
    assertThat(several.heard(new At(HOME, 1), Bindings.UNNAMED, true, BYTES, BYTES, MS))
        .isEqualTo(Source.BOUND);
    assertThat(several.heard(second, Bindings.UNNAMED, false, BYTES, BYTES, MS))
        .isEqualTo(Source.ELSEWHERE);
    assertThat(several.heard(second, Bindings.UNNAMED, true, BYTES, BYTES, MS))
        .isEqualTo(Source.CHALLENGE);
    assertThat(several.address(0)).as("not proved").isSameAs(first);
    long nonce = several.nonce();
    assertThat(several.answered(first, nonce, 0, 2 * MS)).as("from the other one").isFalse();
    assertThat(several.answered(new At(HOME, 2), nonce, 0, 2 * MS)).isTrue();
    assertThat(At.haveSameLocal(several.address(0), second)).isTrue();
  }
}
