// Deliberate: a read of memory that was given back.
int main() {
  int* volatile number = new int(1);
  delete number;
  return *number;
}
