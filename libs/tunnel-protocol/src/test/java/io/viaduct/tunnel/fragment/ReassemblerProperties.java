package io.viaduct.tunnel.fragment;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.wire.FragmentHeader;
import io.viaduct.tunnel.wire.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

class ReassemblerProperties {
  private record Fragment(long sequence, byte[] datagram) {}

  private static List<Fragment> cut(long first, byte[] sealed, int piece) {
    List<Fragment> fragments = new ArrayList<>();
    int count = (sealed.length + piece - 1) / piece;
    for (int i = 0; i < count; i++) {
      byte[] bytes =
          Arrays.copyOfRange(sealed, i * piece, Math.min(sealed.length, (i + 1) * piece));
      byte[] datagram = new byte[FragmentHeader.LENGTH + bytes.length];
      datagram[0] = (byte) i; // replaces the datagram header
      FragmentHeader.write(Unpooled.wrappedBuffer(datagram), 0, i, i == count - 1, sealed.length);
      System.arraycopy(bytes, 0, datagram, FragmentHeader.LENGTH, bytes.length);
      fragments.add(new Fragment(first + i, datagram));
    }
    return fragments;
  }

  private static Verdict take(Reassembler to, Fragment fragment) {
    ByteBuf buffer = Unpooled.wrappedBuffer(fragment.datagram);
    return to.take(fragment.sequence, buffer, 0, fragment.datagram.length);
  }

  private static void shuffle(List<Fragment> fragments, SplittableRandom random) {
    for (int i = fragments.size() - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      fragments.set(i, fragments.set(other, fragments.get(i)));
    }
  }

  private static byte[] bytes(SplittableRandom random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  @Property(tries = 200)
  void aBodyIsReassembledFromFragmentsInAnyOrderAndWithDuplicates(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Reassembler reassembler = new Reassembler(new FragmentMemory());
    int piece = random.nextInt(537, 9000);
    int length = random.nextInt(17, Math.min(65_535, FragmentHeader.FRAGMENTS_MAX * piece) + 1);
    byte[] sealed = bytes(random, length);
    List<Fragment> fragments = cut(random.nextLong(1L << 40), sealed, piece);
    int count = fragments.size();
    shuffle(fragments, random);
    for (int i = 0; i < count; i++) {
      assertThat(reassembler.complete()).as("seed %d", seed).isNull();
      assertThat(take(reassembler, fragments.get(i))).isEqualTo(Verdict.FRAGMENT_KEPT);
      if (i + 1 < count) {
        assertThat(take(reassembler, fragments.get(i))).isEqualTo(Verdict.REPLAYED);
      }
    }
    PartialBody body = reassembler.complete();
    assertThat(body).as("seed %d", seed).isNotNull();
    assertThat(body.count()).isEqualTo(count);
    assertThat(body.header()[0]).isZero();
    assertThat(Arrays.copyOf(body.sealed(), body.sealedBytes())).isEqualTo(sealed);
    reassembler.giveBack(body);
    assertThat(reassembler.incomplete()).isZero();
  }

  @Property(tries = 200)
  void forgedFragmentsNeitherThrowNorTakeMoreThanTheBound(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    FragmentMemory memory = new FragmentMemory();
    Reassembler[] sessions = new Reassembler[20];
    Arrays.setAll(sessions, i -> new Reassembler(memory));
    for (int i = 0; i < 2_000; i++) {
      byte[] datagram = bytes(random, random.nextInt(1, 100));
      Reassembler session = sessions[random.nextInt(sessions.length)];
      if (datagram.length >= FragmentHeader.LENGTH) {
        Verdict verdict = take(session, new Fragment(random.nextLong(50), datagram));
        assertThat(verdict).isIn(Verdict.FRAGMENT_KEPT, Verdict.BAD_FRAGMENT, Verdict.REPLAYED);
      }
      PartialBody body = session.complete();
      if (body != null) {
        session.giveBack(body);
      }
    }
    assertThat(memory.made()).isLessThanOrEqualTo(FragmentMemory.BODIES_MAX);
  }

  @Example
  void aBodyThatHoldsNoMoreThanATagIsRefused() {
    Reassembler reassembler = new Reassembler(new FragmentMemory());
    assertThat(take(reassembler, cut(0, new byte[16], 1_400).getFirst()))
        .isEqualTo(Verdict.BAD_FRAGMENT);
    assertThat(take(reassembler, cut(0, new byte[17], 1_400).getFirst()))
        .isEqualTo(Verdict.FRAGMENT_KEPT);
  }

  @Example
  void theFourthOpenBodyGivesUpTheOldest() {
    SplittableRandom random = new SplittableRandom(1);
    Reassembler reassembler = new Reassembler(new FragmentMemory());
    List<List<Fragment>> bodies = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      bodies.add(cut(i * 100, bytes(random, 3_000), 1_400));
      take(reassembler, bodies.get(i).getFirst());
    }
    assertThat(reassembler.incomplete()).isEqualTo(1);
    finish(reassembler, bodies.get(3));
    finish(reassembler, bodies.get(2));
    finish(reassembler, bodies.get(1));
    assertThat(reassembler.incomplete()).isEqualTo(1);
  }

  private static void finish(Reassembler reassembler, List<Fragment> fragments) {
    fragments.stream().skip(1).forEach(fragment -> take(reassembler, fragment));
    @Nullable PartialBody body = reassembler.complete();
    assertThat(body).isNotNull();
    reassembler.giveBack(body);
  }

  @Example
  void theOldestBodyIsEvictedWhenAllBodiesOfTheLoopAreInUse() {
    FragmentMemory memory = new FragmentMemory();
    Reassembler first = new Reassembler(memory);
    take(first, cut(0, new byte[3_000], 1_400).getFirst());
    for (int i = 0; i < FragmentMemory.BODIES_MAX; i++) {
      take(new Reassembler(memory), cut(0, new byte[3_000], 1_400).getFirst());
    }
    assertThat(first.incomplete()).isEqualTo(1);
    assertThat(memory.made()).isEqualTo(FragmentMemory.BODIES_MAX);
    first.close();
  }
}
