// Deliberate: the last pointer to an allocation is overwritten.
int* volatile kept = nullptr;

int main() {
  kept = new int(1);
  kept = nullptr;
}
